"""Pages to exact pandas frames, to CSV and back, and streamed exports."""

from .csv_file import read_csv as read_csv
from .csv_file import to_csv as to_csv
from .decimals import total as total
from .decimals import wide as wide
from .export import Export as Export
from .export import export as export
from .frame import conversions as conversions
from .frame import transfers as transfers
from .times import UnreadableTimeWarning as UnreadableTimeWarning
