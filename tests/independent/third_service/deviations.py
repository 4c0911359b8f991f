"""The table of deviations, by name."""

from third_service.access import access_deviations
from third_service.fields import field_deviations
from third_service.shapes import shape_deviations
from third_service.variants import VARIANTS

_ALL = (*field_deviations(), *shape_deviations(), *access_deviations(), *VARIANTS)
DEVIATIONS = {deviation.name: deviation for deviation in _ALL}
