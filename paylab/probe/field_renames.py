"""New names of fields that a service refuses under their old ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property, partial
from typing import Any

from ..spec.complaints import Complaint
from ..spec.json_path import last_name
from ..spec.operations.operation import Operation
from ..spec.service.key import SettingKey
from ..spec.service.setting import setting_key_of
from .names import Candidates, find_settings_below, measure_likeness, sort_by_likeness, split_name

MOST_RENAMES = 4


def find_names_table(operation: Operation) -> str:
    """The table of settings with the names of the body of an operation; "" if there is none."""
    return setting_key_of(operation.names).removesuffix(".fields")


class FieldRenames:
    """Finds the settings that rename fields in the body of one request.

    `unknown_names` are our names of the fields that the service does not know.
    """

    def __init__(
        self, operation: Operation, body: Mapping[str, Any], unknown_names: Collection[str]
    ) -> None:
        self._operation = operation
        self._body = body
        self._unknown_names = unknown_names
        self._table = find_names_table(operation)

    @cached_property
    def setting_by_name(self) -> dict[str, SettingKey]:
        """The settings that rename fields of the body, by our names of the fields."""
        return find_settings_below(f"{self._table}.fields.") if self._table else {}

    def rename_all_at_once(self, complaints: Iterable[Complaint]) -> Candidates:
        """One candidate that renames every refused field to a missing path.

        For example, `source_amount` and `quote_id` are refused, and `amount` and `quotation` are
        missing: after one rename alone, the service still refuses the other field.
        """
        missing_paths = [
            complaint.field for complaint in complaints if complaint.is_missing and complaint.field
        ]
        path_by_name = self._match_by_spelling(missing_paths)
        refused_names = [name for name in self.setting_by_name if name in self._unknown_names]
        path_by_name |= self._match_by_public_name(
            [name for name in refused_names if name not in path_by_name],
            [path for path in missing_paths if path not in path_by_name.values()],
        )
        other_names = [name for name in refused_names if name not in path_by_name]
        other_paths = [path for path in missing_paths if path not in path_by_name.values()]
        if len(other_names) == len(other_paths):
            path_by_name |= _match_by_likeness(other_names, other_paths)
        # One rename alone is a candidate of `rename_in_body`.
        if self._unknown_names and len(path_by_name) > 1:
            yield {self.setting_by_name[name].name: path for name, path in path_by_name.items()}

    def _match_by_spelling(self, new_paths: Iterable[str]) -> dict[str, str]:
        """The new paths that are our names, with a dot instead of an underscore."""
        path_by_name = {path.replace(".", "_"): path for path in new_paths}
        return {
            name: path
            for name, path in path_by_name.items()
            if name in self.setting_by_name and name in self._body
        }

    def _match_by_public_name(
        self, old_names: Iterable[str], new_paths: Iterable[str]
    ) -> dict[str, str]:
        """The new paths that public descriptions of such services have for old names."""
        path_by_name: dict[str, str] = {}
        for name in old_names:
            public_names = self.setting_by_name[name].others
            free_paths = (path for path in new_paths if path not in path_by_name.values())
            public_path = next((path for path in free_paths if path in public_names), None)
            if public_path is not None:
                path_by_name[name] = public_path
        return path_by_name

    def rename_in_body(self, new_path: str) -> Candidates:
        """The fields of the body that a path may stand for, the most similar first."""
        for name in self._find_likely_names(self.setting_by_name, new_path, self._body):
            setting = self.setting_by_name[name]
            yield {setting.name: new_path}
            if name.endswith("_id") and not new_path.endswith("id"):
                yield {setting.name: f"{new_path}.id"}

    def rename_in_details(
        self, account_key: str, new_path: str, details: Mapping[str, object]
    ) -> Candidates:
        """The fields of an account's details that a path may stand for, the most similar first."""
        setting_by_name = find_settings_below(f"{account_key}.fields.")
        for name in self._find_likely_names(setting_by_name, new_path, details):
            yield {setting_by_name[name].name: last_name(new_path)}

    def _find_likely_names(
        self, setting_by_name: Mapping[str, SettingKey], new_path: str, body: Mapping[str, object]
    ) -> list[str]:
        """The fields that a path may stand for, the most similar first.

        A field is renamed only if its old name was refused as unknown, or if public descriptions
        of such services have the new one.
        """
        references = [
            reference for reference in self._operation.references if reference.name in body
        ]
        sent_names = {*body, *(reference.id_name for reference in references)}
        names = [name for name in setting_by_name if name in sent_names]
        new_names = {new_path, last_name(new_path)}
        publicly_renamed_names = [
            name for name in names if new_names & {*setting_by_name[name].others}
        ]
        refused_names = [
            name for name in names if {name, name.removesuffix("_id")} & {*self._unknown_names}
        ]
        likely_names = [*publicly_renamed_names, *sort_by_likeness(refused_names, new_path)]
        return list(dict.fromkeys(likely_names))[:MOST_RENAMES]

    def rename_required(self, new_path: str) -> Candidates:
        """The required field that shares most words with a path, if it is the only one.

        If the service needs the old name as well, it says after the rename that this one is
        missing, and the rename is not kept.
        """
        required_names = [field.name for field in self._operation.fields if field.required]
        names = [name for name in required_names if name in self.setting_by_name]
        shared_by_name = {
            name: len({*split_name(name)} & {*split_name(new_path)})
            for name in names
            if name in self._body
        }
        shared_count_max = max(shared_by_name.values(), default=0)
        best_names = [name for name, shared in shared_by_name.items() if shared == shared_count_max]
        if shared_count_max and len(best_names) == 1:
            yield {self.setting_by_name[best_names[0]].name: new_path}


def _match_by_likeness(old_names: list[str], new_paths: list[str]) -> dict[str, str]:
    """Each old name with the new path that is most like it, the closest pairs first."""
    left_paths = list(new_paths)

    def measure_greatest_likeness(name: str) -> float:
        return max(measure_likeness(name, path) for path in new_paths)

    path_by_name = {}
    for name in sorted(old_names, key=measure_greatest_likeness, reverse=True):
        path_by_name[name] = max(left_paths, key=partial(measure_likeness, name))
        left_paths.remove(path_by_name[name])
    return path_by_name
