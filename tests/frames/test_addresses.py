"""Files at fsspec URLs and compressed files are written and read like those of a folder."""

from __future__ import annotations

import gzip
import json
from decimal import Decimal

import fsspec
import pandas as pd
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from synced_lists import List, rows

import paylab
from paylab import frames
from paylab.errors import ArgumentError, ConfigError, RuleError
from paylab.storage.addresses import write_address


class LockedFileSystem(MemoryFileSystem):
    """A file system that nobody has credentials for."""

    protocol = "locked"

    def find(self, *_args, **_options):
        """Refuse."""
        raise PermissionError("Unable to locate credentials\nand a page of advice")

    exists = cat_file = get_file = open = find


class KeyedFileSystem(MemoryFileSystem):
    """A file system that opens only with the option `key`."""

    protocol = "keyed"

    def __init__(self, *, key, **options):
        super().__init__(**options)
        self.key = key


fsspec.register_implementation("locked", LockedFileSystem)
fsspec.register_implementation("keyed", KeyedFileSystem)


@pytest.fixture
def pages(paged, transfer):
    """Five transfers as pages of bytes, one with a comma and a quote."""
    made = [transfer | {"client_reference_id": f'a "{number}",'} for number in range(5)]
    return [json.dumps(page).encode() for page in paged(made)]


@pytest.fixture
def place(request):
    """A folder of its own in the memory file system."""
    return f"memory://{request.node.name}".replace("[", "-").replace("]", "")


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("t.csv", frames.read_csv),
        ("t.csv.gz", frames.read_csv),
        ("t.CSV.GZ", frames.read_csv),
        ("t.jsonl", frames.read_jsonl),
        ("t.jsonl.gz", frames.read_jsonl),
        ("t.parquet", frames.read_parquet),
        ("days/", frames.read_parquet),
    ],
)
def test_a_url_and_a_path_have_the_same_rows(pages, tmp_path, place, name, read):
    """A file at a URL reads back as the frame, as one in a folder does."""
    whole = frames.transfers(pages)
    for address in (f"{place}/{name}", f"{tmp_path}/{name}", f"file://{tmp_path}/2{name}"):
        done = frames.export(pages, address)
        assert done.rows == 5
        assert read(done.path).equals(whole)
    some = read(f"{place}/{name}", columns=["total_fee", "id"], until="2026-02-01")
    assert some.equals(whole[["total_fee", "id"]])
    assert len(read(f"{place}/{name}", since="2026-02-01")) == 0


@pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.gz"])
def test_each_line_of_json_has_one_row_as_it_was_sent(pages, tmp_path, name):
    """A line has one row, with the names of the columns and the text that was sent."""
    path = frames.export(pages, tmp_path / name, columns=["id", "source_amount"]).path
    content = path.read_bytes()
    text = gzip.decompress(content) if name.endswith("gz") else content
    first = json.loads(text.splitlines()[0])
    assert (len(text.splitlines()), first) == (5, {"id": "tr_1", "source_amount": "10.25"})


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('{"id": "1"}\n[]\n', "line 2 is not an object"),
        ('{"id": "1"\n', "line 1: "),
        ('{"id": "1", "id": "2"}\n', "two members 'id'"),
        ("\xff", "line 1: "),
    ],
)
def test_a_damaged_line_is_named_by_its_number(tmp_path, content, reason):
    """The error has the number of the line, and nothing is read."""
    path = tmp_path / "t.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match=reason):
        frames.read_jsonl(path)


def test_numbers_of_json_lines_keep_their_digits(tmp_path):
    """A number that is no text has the digits of the file, and an empty line is no row."""
    path = tmp_path / "t.jsonl"
    path.write_text('{"id": "1", "source_amount": 0.12345678901234567890}\n\n')
    frame = frames.read_jsonl(path, "transfers")
    assert frame["source_amount"].tolist() == [Decimal("0.12345678901234567890")]


def test_an_unpaired_surrogate_in_json_lines_is_a_question_mark(tmp_path):
    """Arrow has no such text; a page of a list is read in the same way."""
    path = tmp_path / "transfers.jsonl"
    path.write_text('{"id": "\\ud800"}\n')
    assert list(frames.read_jsonl(path, "transfers")["id"]) == ["?"]


def test_an_empty_file_of_json_lines_is_a_frame_without_rows(tmp_path):
    """The columns are those of the kind."""
    path = tmp_path / "t.jsonl"
    path.touch()
    assert frames.read_jsonl(path, "transfers").dtypes.equals(frames.transfers([]).dtypes)


def test_a_file_of_json_lines_is_not_read_as_csv(pages, tmp_path):
    """The error names the function to use."""
    path = frames.export(pages, tmp_path / "t.jsonl").path
    with pytest.raises(ArgumentError, match="read_jsonl"):
        frames.read_csv(path)


@pytest.mark.parametrize(
    ("name", "read"), [("t.csv", frames.read_csv), ("t.jsonl", frames.read_jsonl)]
)
def test_a_period_of_rows_without_times_is_refused(tmp_path, name, read):
    """The error names the column that is missing."""
    path = tmp_path / name
    path.write_text('{"id": "1"}\n' if name.endswith("jsonl") else "id,x\n1,2\n")
    with pytest.raises(RuleError, match="created_at"):
        read(path, "transfers", since="2026-01-01")


FILES = [
    ("t.csv", frames.read_csv),
    ("t.jsonl.gz", frames.read_jsonl),
    ("t.parquet", frames.read_parquet),
    ("days/", frames.read_parquet),
]


@pytest.mark.parametrize(("name", "read"), FILES)
def test_options_of_a_file_system_are_passed_on(pages, name, read):
    """A URL that needs a key is written and read with it, and without it is an error."""
    address = f"keyed://options/{name}"
    with pytest.raises(ConfigError, match="keyed:// cannot be used"):
        frames.export(pages, address)
    frames.export(pages, address, storage_options={"key": "secret"})
    with pytest.raises(ConfigError, match="keyed:// cannot be used"):
        read(address)
    assert len(read(address, storage_options={"key": "secret"})) == 5


@pytest.mark.parametrize(("name", "read"), FILES)
def test_options_of_a_file_system_are_for_urls_only(pages, tmp_path, name, read):
    """A path with such options is refused, and nothing is written."""
    address = f"{tmp_path}/{name}"
    with pytest.raises(ArgumentError, match="storage_options"):
        frames.export(pages, address, storage_options={"key": "secret"})
    assert not list(tmp_path.iterdir())
    with pytest.raises(ArgumentError, match="storage_options"):
        read(frames.export(pages, address).path, storage_options={"key": "secret"})


def test_a_list_is_exported_with_options_of_a_file_system():
    """The lab passes them on."""
    address = "keyed://lists/t.csv"
    paylab.connect().transfers.export(address, storage_options={"key": "secret"})
    assert len(frames.read_csv(address, storage_options={"key": "secret"})) == 130


def test_equal_rows_are_equal_compressed_bytes(pages, tmp_path):
    """A compressed file has no time in it."""
    contents = {
        frames.export(pages, tmp_path / f"{number}.csv.gz").path.read_bytes() for number in (1, 2)
    }
    assert len(contents) == 1


def test_a_frame_is_written_to_a_url(pages, place):
    """`to_csv` and `to_excel` take a URL too."""
    frame = frames.transfers(pages)
    frame.paylab.to_csv(f"{place}/t.csv.gz")
    assert frames.read_csv(f"{place}/t.csv.gz").equals(frame)
    frame.paylab.to_excel(f"{place}/t.xlsx")
    assert len(pd.read_excel(f"{place}/t.xlsx")) == 5


def test_a_list_is_exported_to_a_url(place):
    """The file has a sidecar beside it, and another export replaces both."""
    lab = paylab.connect()
    for status in (None, "failed"):
        done = lab.transfers.export(f"{place}/t.csv", status=status)
        assert len(frames.read_csv(done.path)) == done.rows
    files = fsspec.filesystem("memory")
    sidecar = json.loads(files.cat_file(f"{place}/t.csv.columns.json"))
    assert (sidecar["rows"], sidecar["kind"]) == (done.rows, "transfers")


def test_other_readers_read_an_exported_folder(tmp_path):
    """Everything in the folder is a Parquet file; what describes it is beside it."""
    import polars as pl

    lab = paylab.connect()
    done = lab.transfers.export(f"{tmp_path}/days/")
    assert pl.read_parquet(f"{tmp_path}/days").height == done.rows == 130
    assert sorted(path.name for path in tmp_path.iterdir()) == ["days", "days.columns.json"]
    assert paylab.read_parquet(f"{tmp_path}/days")["source_amount"].sum() > 0
    frames.export([], f"{tmp_path}/days/")
    assert [path.name for path in tmp_path.iterdir()] == ["days"]


@pytest.mark.parametrize("name", ["books.csv.gz", "books.xlsx"])
def test_books_are_read_from_a_url(place, name):
    """Books at a URL, also compressed ones, are reconciled like those of a folder."""
    lab = paylab.connect()
    books = lab.transfers.frame(columns=["id", "source_amount", "source_currency", "status"])
    write = books.paylab.to_excel if name.endswith("xlsx") else books.paylab.to_csv
    write(f"{place}/{name}")
    assert len(lab.reconcile(f"{place}/{name}").frame()) == 0


def test_payouts_are_read_from_a_url(place):
    """A batch at a URL is planned; a missing one is one sentence."""
    lab = paylab.connect()
    account = lab.individuals.create(**paylab.examples.recipient("MX")).financial_accounts[0]
    content = f"client_reference_id,financial_account_id\nsalary-1,{account.id}\n"
    fsspec.filesystem("memory").pipe_file(f"{place}/p.csv.gz", gzip.compress(content.encode()))
    terms = {"source_currency": "USD", "destination_currency": "MXN", "payout_method": "spei"}
    plan = lab.transfers.check_many(f"{place}/p.csv.gz", source_amount="10", **terms)
    assert [problem.field for problem in plan.problems] == []
    with pytest.raises(ConfigError, match=r"p\.csv cannot be read: it does not exist"):
        lab.transfers.check_many(f"{place}/p.csv", source_amount="10", **terms)


def test_a_folder_at_a_url_is_replaced_and_never_mixed(pages, place):
    """Files of the export before are removed; a file of somebody else is a refusal."""
    files = fsspec.filesystem("memory")
    later = [page.replace(b"2026-01-31T", b"2026-03-01T") for page in pages]
    for made in (pages, later):
        frames.export(made, f"{place}/days/")
    (name,) = files.find(f"{place}/days")
    assert "2026-03-01" in name
    files.pipe_file(f"{place}/days/notes.txt", b"mine")
    with pytest.raises(ConfigError, match=r"notes\.txt is not from an export"):
        frames.export(pages, f"{place}/days/")
    assert len(files.find(f"{place}/days")) == 2


@pytest.mark.parametrize(
    "act",
    [
        lambda pages: frames.export(pages, "locked://bucket/t.csv"),
        lambda pages: frames.export(pages, "locked://bucket/days/"),
        lambda _: frames.read_csv("locked://bucket/t.csv"),
        lambda _: frames.read_parquet("locked://bucket/t.parquet"),
        lambda _: frames.read_parquet("locked://bucket/days"),
        lambda _: frames.Dataset("locked://bucket/days").frame(),
        lambda _: frames.Dataset("locked://bucket/days").sync(List(rows(3))),
    ],
)
def test_missing_credentials_are_one_sentence(pages, act):
    """The error names the address and the reason, before a page is read."""
    unread = iter(pages)
    with pytest.raises(
        ConfigError, match=r"^locked://bucket.* cannot be .*Unable to locate credentials$"
    ):
        act(unread)
    assert len(list(unread)) == len(pages)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("nosuch://bucket/t.csv", "nosuch:// cannot be used: Protocol not known: nosuch"),
        ("memory://absent/t.csv", "memory://absent/t.csv cannot be read: it does not exist"),
    ],
)
def test_an_address_without_a_file_is_one_sentence(address, words):
    """An unknown protocol and an absent file are one sentence."""
    with pytest.raises(ConfigError, match=words):
        frames.read_csv(address)


@pytest.mark.parametrize(
    "content", [b"id\n1\n", gzip.compress(b"id\n1\n")[:-4]], ids=["plain", "cut off"]
)
def test_a_file_that_is_no_gzip(tmp_path, content):
    """A file that ends in .gz and is not compressed, or cut off, is an error of its name."""
    (tmp_path / "t.csv.gz").write_bytes(content)
    with pytest.raises(ConfigError, match=r"t\.csv\.gz cannot be read as gzip"):
        frames.read_csv(tmp_path / "t.csv.gz")


@pytest.mark.filterwarnings("ignore::paylab.frames.CurrencyWarning")
@pytest.mark.parametrize("address", ["memory://synced/days", "{tmp_path}/days"])
def test_a_part_of_a_dataset_is_read_from_its_days_alone(tmp_path, address):
    """A dataset gives frames, Arrow and polars; files of other days are not opened."""
    place = address.format(tmp_path=tmp_path)
    dataset = frames.Dataset(place)
    dataset.sync(List(rows(40, days=4)))
    whole = dataset.frame()
    assert len(whole) == 40
    period = {"since": "2026-01-26", "until": "2026-01-27T12:00:00Z"}
    expected = whole[whole["created_at"].between("2026-01-26", "2026-01-27 11:59:59")]
    part = dataset.frame(columns=["id", "source_amount"], **period)
    assert part["id"].tolist() == expected["id"].tolist()
    assert part["source_amount"].sum() == expected["source_amount"].sum()
    table = dataset.to_arrow(columns="source_amount", **period)
    assert str(table["source_amount"].type) == "decimal128(24, 6)"
    polars = dataset.to_polars(**period)
    assert polars["source_amount"].sum() == expected["source_amount"].sum()
    files, root = fsspec.url_to_fs(place)
    for name in files.find(root):
        if name.endswith(".parquet") and "2026-01-26" not in name and "2026-01-27" not in name:
            files.pipe_file(name, b"damaged")
    assert len(dataset.frame(**period)) == len(expected)


def test_a_dataset_without_rows_has_the_columns_of_its_list(tmp_path):
    """It has the columns of its list."""
    dataset = frames.Dataset(f"{tmp_path}/d")
    assert dataset.frame(columns=["id"]).columns.tolist() == ["id"]
    dataset.sync(List([], kind="conversions"))
    assert "deposit_amount" in dataset.to_arrow().column_names


def test_a_list_has_the_same_rows_as_arrow_and_polars():
    """A list gives the same rows in the types of a Parquet file."""
    lab = paylab.connect()
    frame = lab.transfers.frame(status="completed")
    table = lab.transfers.to_arrow(status="completed")
    assert str(table.schema.field("exchange_rate").type) == "decimal128(13, 8)"
    assert str(table.schema.field("status").type) == "string"
    polars = lab.transfers.to_polars(status="completed")
    assert polars["source_amount"].sum() == frame["source_amount"].sum()
    assert lab.conversions.to_polars(columns=["id"]).height == len(lab.conversions.frame())
    for resource in (lab.individuals, lab.conversion_accounts):
        assert resource.to_polars().columns == list(resource.frame().columns)
        assert resource.to_arrow().num_rows == len(resource.frame())


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("s3://KEY:HIDDEN@bucket/day.csv?sig=HIDDEN", "s3://bucket/day.csv"),
        ("http://u:HIDDEN@h/a@b.csv#HIDDEN", "http://h/a@b.csv"),
        ("https://h?token=HIDDEN", "https://h"),
        ("folder/a@b.csv", "folder/a@b.csv"),
    ],
)
def test_an_address_in_a_message_has_no_user_password_and_query(url, shown):
    """They may hold a secret; a path of this machine stays as it is."""
    assert write_address(url) == shown


def test_an_error_of_a_url_does_not_show_its_password():
    """Neither where a file is missing nor where its name ends in another suffix."""
    lab = paylab.connect()
    for act in (
        lambda: frames.read_csv("memory://u:HIDDEN@h/none.csv"),
        lambda: lab.transfers.export("memory://u:HIDDEN@h/none.txt?token=HIDDEN"),
    ):
        with pytest.raises(ConfigError) as caught:
            act()
        assert "HIDDEN" not in f"{caught.value} {caught.value.__cause__}"
    assert "HIDDEN" not in repr(frames.Dataset("memory://u:HIDDEN@h/days?token=HIDDEN"))


BROKEN_FILES = {
    "a.csv": b"id,created_at\n\xff\xfe,1\n",
    "b.csv": b"id,id\n1,2\n",
    "c.csv": b'"x',
    "d.csv.gz": b"no gzip",
    "e.parquet": b"xx",
    "f.jsonl": b"{bad",
    "g.csv": b"",
    "h.csv": b"foo;bar\n1;2\n",
}


@pytest.mark.parametrize("name", BROKEN_FILES)
def test_an_error_of_a_broken_file_does_not_show_the_token_of_its_url(name):
    """A file that cannot be read is named without the user, password and query of its URL."""
    place = f"user:SECRET@host/{name.replace('.', '?token=SECRET.', 1)}"
    with fsspec.filesystem("memory").open(f"/{place}", "wb") as sink:
        sink.write(BROKEN_FILES[name])
    url = f"memory://{place}"
    lab = paylab.connect()
    readers = (
        paylab.frames.read_csv,
        paylab.frames.read_parquet,
        paylab.frames.read_jsonl,
        lab.reconcile,
        lambda address: paylab.frames.Dataset(address).frame(),
    )
    errors = []
    for read in readers:
        try:
            read(url)
        except paylab.PaylabError as error:
            errors.append(str(error))
    assert errors
    assert not [error for error in errors if "SECRET" in error]


@pytest.mark.parametrize("options", ["key", 1, ["key"]])
def test_storage_options_are_a_dict(options):
    """Other options are an error that names the argument, before a file system is asked."""
    with pytest.raises(ArgumentError, match="storage_options must be a dict of options, not"):
        paylab.connect().transfers.export("memory://h/x.csv", storage_options=options)
