"""The commands: their output, their files and their exit status."""

import json
import re
import signal
import socket
import subprocess
import sys
from decimal import Decimal

import duckdb
import httpx
import pandas as pd
import pytest
import zxingcpp
from PIL import Image

import paylab
from paylab import emvqr
from paylab.cli.help_text import GROUP_TITLES
from paylab.cli.main import COMMANDS, main
from paylab.payments.payout_rows import COLUMNS
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator

PAYLOAD = (
    "00020101021228500011ph.ppmi.p2m0111PAPHPHM1XXX0309102140529050331052047299530360854041.00"
    "5802PH5903Rui6006Manila62440014com.paymaya.qr052228oYUr47CjKVCKh57wfb3s6304C116"
)


def started(*options):
    """A process of `paylab simulator --json`, and the facts that it printed."""
    command = [sys.executable, "-m", "paylab", "simulator", "--json", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    return process, json.loads(process.stdout.readline())


def stopped(process, how):
    """The exit status of a process after a signal."""
    process.send_signal(how)
    process.communicate(timeout=20)
    return process.returncode


def test_the_simulator_prints_how_to_reach_it_and_stops_when_asked(tmp_path, capsys, monkeypatch):
    """It prints address and keys in one line and accepts the headers of `sign`; SIGTERM ends it."""
    process, facts = started("--transfers", "3")
    assert facts.keys() == {"base_url", "api_key", "secret_key", "control_token"}
    assert facts["base_url"].startswith("http://127.0.0.1:")
    assert len(list(paylab.connect(**facts).transfers.list())) == 3
    assert httpx.get(f"{facts['base_url']}/v1/transfers").status_code == 401
    for name in facts:
        monkeypatch.setenv(f"PAYLAB_{name.upper()}", facts[name])
    body = tmp_path / "body.json"
    body.write_text('{"url": "https://example.com/", "event_types": ["transfer.created"]}')
    path = "/v1/webhook_subscriptions"
    assert main(["sign", "post", path, "--body", str(body), "--json"]) == 0
    headers = json.loads(capsys.readouterr().out)["headers"]
    answer = httpx.post(facts["base_url"] + path, headers=headers, content=body.read_bytes())
    assert answer.status_code == 201
    assert stopped(process, signal.SIGTERM) == 0


def test_the_simulator_follows_a_service_toml_and_goes_on_from_its_file(tmp_path):
    """What was created before `kill -9` is there after a restart, which Ctrl-C ends."""
    path = tmp_path / "service.toml"
    path.write_text('[paths]\nquotes = "/v1/quote"\n')
    for expected, how, status in ((0, signal.SIGKILL, -9), (1, signal.SIGINT, 0)):
        process, facts = started("--data", tmp_path / "world", "--service", path)
        lab = paylab.connect(**facts, service=path)
        assert len(list(lab.individuals.list())) == expected
        lab.individuals.create(**paylab.examples.individual("MX", consent_at=lab.clock()))
        with pytest.raises(paylab.BadRequestError):
            lab.request("POST", "/v1/quote", json={})
        assert stopped(process, how) == status


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["export", "transfers", "--to", "x.txt"], 2, "must end in .csv, .csv.gz, .jsonl"),
        (
            ["export", "conversions", "--to", "x.csv", "--product-type", "on_ramp"],
            2,
            "only with transfers",
        ),
        (["qr", "--scan", "nowhere.png"], 2, "paylab: nowhere.png cannot be read: No such file"),
        (["qr", "nowhere.jpg"], 2, "paylab: nowhere.jpg cannot be read: No such file"),
        (["qr", PAYLOAD, "--out", "x.bmp"], 2, "saved as .png or .svg"),
        (["qr", PAYLOAD, "--out", "nowhere/x.png"], 2, "x.png: there is no folder nowhere"),
        (["export", "transfers", "--to", ""], 2, "name a file or a folder"),
        (["export", "transfers", "--to", "."], 2, "cannot replace the folder you are in"),
        (["export", "transfers", "--to", "x.csv", "--status", ""], 2, "status: is empty"),
        (["export", "transfers", "--to", "-", "--status", "done"], 2, "is 'completed' meant?"),
        (["export", "transfers", "--to", "-", "--since", "yesterday"], 2, "since: must be"),
        (["list", "transfers", "--status", "done"], 2, "is 'completed' meant?"),
        (["get", "/v1/transfers/tr_no"], 1, "look in paylab list transfers"),
        (["get", "v1/transfers/tr_no"], 1, "404 transfer not found"),
        (["post", "/v1/transfers"], 2, "the body is missing: give it with --json"),
        (["post", "/v1/transfers", "--json", "@nowhere"], 2, "nowhere: No such file"),
        (["post", "/v1/transfers", "--json", "{"], 2, "--json is not JSON"),
        (["payout", "nowhere.csv"], 2, "nowhere.csv: No such file"),
        (["reconcile", "nowhere.csv"], 2, "there is no file nowhere.csv"),
        (["scrub", "nowhere.ipynb"], 2, "nowhere.ipynb: No such file"),
        (["scrub", "/dev/null"], 2, "it is not a regular file"),
        (["sync", "transfers", "zzz://x/y"], 2, "zzz:// cannot be used: Protocol not known"),
        (["sync", "transfers", ""], 2, "the address is empty: name a folder"),
        (["sync", "transfers", "x", "--overlap", "48"], 2, "overlap: '48' is not a duration"),
        (["walkthrough", "ph", "--out", "/dev/null"], 2, "/dev/null is a file: name a folder"),
        (["sign", "GET", "transfers"], 2, "'transfers' is not a URL to sign"),
        (["sign", "GET", "//example.com/v1/transfers"], 2, "is not a URL to sign"),
        (["sign", "GET", "http://[::1/v1"], 2, "is not a URL to sign"),
        (["sign", "GET", "https://a.co/v1", "--date", "x", "--compare", "-"], 2, "'x' is not like"),
        (
            ["sign", "GET", "https://a.co/v1", "--date", "garbage"],
            2,
            "--date: 'garbage' is not like",
        ),
        (["sign", "G T", "https://a.co/v1"], 2, "'G T' is not a method"),
        (["sign", "", "https://a.co/v1", "--curl"], 2, "'' is not a method"),
        (["sign", "GET", "/v1/transfers", "--body", "nowhere.json"], 2, "nowhere.json"),
        (["simulator", "--port", "1", "--host", "203.0.113.1"], 2, "cannot listen"),
        (["simulator", "--data", "/nowhere/at/all"], 2, "cannot be used"),
        (["site"], 2, "write --out DIR, as in --out site"),
        (
            ["post", "quotes", "--json", "@@x"],
            2,
            "there is no file @x: its name is",
        ),
        (["simulator", "8000"], 2, "cannot run '8000': No such file or directory; --port 8000"),
        (["simulator", "--", "nowhere", "-x"], 2, "cannot run 'nowhere': No such file"),
        (["simulator", "--", "/"], 2, "cannot run '/': Permission denied"),
        (["simulator", "--json", "--", "true"], 2, "--json prints the keys: omit it"),
        (["simulator", "--service", "/nowhere.toml"], 2, "/nowhere.toml cannot be read"),
        (["lab", "--service", "/nowhere.toml", "--no-browser"], 2, "/nowhere.toml cannot be read"),
        (["get", "https://pay.test/v1/transfers"], 2, "give the path only, such as /v1/transfers"),
        (["get", "/transfers"], 1, "is /v1/transfers meant?"),
        (["lab", "99_nothing"], 2, "there is no notebook 99_nothing"),
    ],
)
def test_what_goes_wrong_is_one_sentence(arguments, status, words, capsys, monkeypatch, tmp_path):
    """An error is one line on stderr, with nothing on stdout.

    The status is 2 if what was typed cannot be right, such as a file that is not there, else 1.
    """
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == status
    said = capsys.readouterr()
    assert words in said.err
    notices = ("paylab: SIMULATOR (embedded)", "no keys are configured")
    assert len([line for line in said.err.splitlines() if not line.startswith(notices)]) == 1
    assert not said.out


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["nothing"], "paylab"),
        (["walkthrough", "xx"], "paylab walkthrough"),
        (["qr"], "paylab qr"),
        (["sync"], "paylab sync"),
        (["simulator", "--speed", "0"], "paylab simulator"),
        (["simulator", "--data", ""], "paylab simulator"),
    ],
)
def test_wrong_use_ends_with_2(arguments, command, capsys):
    """Wrong use ends with status 2 and one line that refers to --help."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    said = capsys.readouterr()
    assert ended.value.code == 2
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert said.err.startswith(f"{command}: ")
    assert said.err.endswith(f"; see {command} --help\n")


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["--verison"], "did you mean --version?"),
        (["export", "transfers", "--out", "a.csv"], "did you mean --to?"),
        (["post", "transfers", "--data", "{}"], "did you mean --json?"),
        (["payout", "--check"], "did you mean --dry-run?"),
        (["doctor", "--profile", "x"], "set PAYLAB_PROFILE"),
        (["export", "payouts", "--to", "a.csv"], "did you mean transfers?"),
        (["payout", "a.csv", "b.csv"], "'b.csv' is no option or argument here: it takes only one"),
        (["probe", "--write", "x.toml"], "did you mean --to x.toml?"),
        (["doctor", "now"], "it takes options only"),
    ],
)
def test_a_word_of_another_program_names_what_is_meant(words, meant, capsys):
    """An unknown option is named also where a required one is missing."""
    with pytest.raises(SystemExit):
        main(words)
    assert meant in capsys.readouterr().err


def test_the_value_of_an_unknown_option_is_not_repeated(capsys):
    """It may be a key."""
    with pytest.raises(SystemExit):
        main(["doctor", "--secret-key=sk_live_1234"])
    warned_text = capsys.readouterr().err
    assert "'--secret-key' is no option" in warned_text
    assert "sk_live" not in warned_text


def test_sign_shows_each_layer(capsys):
    """`sign` prints the canonical request, the payload and the Authorization header."""
    date, nonce = "2026-01-31T09:30:00.123Z", "1769851800123004217"
    url = "https://api.example.com/v1/transfers?limit=3"
    assert main(["sign", "GET", url, "--date", date, "--nonce", nonce]) == 0
    printed = capsys.readouterr().out
    assert "GET\n/v1/transfers\nlimit=3\nhost:api.example.com\n" in printed
    assert f"HMAC-SHA256\n{date}\n" in printed
    assert "Authorization: HMAC-SHA256 Credential=" in printed


@pytest.mark.parametrize(
    ("base", "host"),
    [
        ("https://localhost:443", "localhost"),
        ("http://localhost:80", "localhost"),
        ("https://localhost:80", "localhost:80"),
        ("http://127.0.0.1:8000", "127.0.0.1:8000"),
    ],
)
def test_sign_signs_the_host_that_is_sent(base, host, capsys):
    """The signed host has no default port, because clients leave it out."""
    assert main(["sign", "GET", f"{base}/v1/transfers", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert f"\nhost:{host}\n" in made["canonical"]
    assert made["headers"]["Host"] == httpx.Request("GET", base).headers["Host"] == host


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ('[signing]\nkey_encoding = "hex"', True),
        ('[signing]\nkey_encoding = "hex"\ntolerance = 60', False),
        ('[signing]\nkey_encoding = "hex"\nempty_query = "blank"', False),
        ("", False),
    ],
)
def test_sign_compares_as_the_service_verifies(settings, match, tmp_path, capsys, monkeypatch):
    """A comparison uses the signing settings of the service and needs only the secret key."""
    (tmp_path / "service.toml").write_text(settings)
    monkeypatch.setenv("PAYLAB_SERVICE", str(tmp_path / "service.toml"))
    monkeypatch.setenv("PAYLAB_SECRET_KEY", "736563726574")
    url, date = "https://api.example.com/v1/transfers", "2026-01-31T09:30:00.123Z"
    names = {"host": "api.example.com", "x-api-key": "k", "x-date": date, "x-nonce": "1"}
    names["x-content-sha256"] = paylab.signing.EMPTY_HASH
    made = paylab.signing.sign(
        b"secret", "GET", "/v1/transfers", "", names, names["x-content-sha256"]
    )
    names["authorization"] = paylab.signing.authorization("k", sorted(names), made.value)
    theirs = tmp_path / "headers"
    theirs.write_text("".join(f"{name}: {value}\n" for name, value in names.items()))
    now = ["--date", "2026-01-31T09:32:00.000Z"]
    assert main(["sign", "GET", url, "--compare", str(theirs), "--json", *now]) == (not match)
    assert json.loads(capsys.readouterr().out)["match"] == match


def test_sign_without_keys_follows_the_service(tmp_path, capsys, monkeypatch):
    """Without keys, `sign` uses simulator keys in the key encoding of the service."""
    (tmp_path / "service.toml").write_text('[signing]\nkey_encoding = "hex"')
    monkeypatch.setenv("PAYLAB_SERVICE", str(tmp_path / "service.toml"))
    assert main(["sign", "GET", "/v1/transfers"]) == 0
    assert "Authorization: HMAC-SHA256" in capsys.readouterr().out


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_qr_draws_and_explains(suffix, tmp_path, capsys):
    """The table explains the payload, and the PNG image decodes to it."""
    target = tmp_path / f"x.{suffix}"
    assert main(["qr", PAYLOAD, "--out", str(target)]) == 0
    assert "Name      Rui" in capsys.readouterr().out
    if suffix == "png":
        [code] = zxingcpp.read_barcodes(Image.open(target))
        assert code.text == PAYLOAD


def test_qr_reads_what_it_drew(tmp_path, capsys):
    """--scan reads the payload from an image, and --json prints it as JSON."""
    main(["qr", PAYLOAD, "--out", str(tmp_path / "x.png")])
    capsys.readouterr()
    assert main(["qr", "--scan", str(tmp_path / "x.png"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["payload"] == PAYLOAD


def test_qr_says_what_is_wrong_with_a_payload(capsys):
    """A changed digit breaks the CRC: status 1, the CRC on stdout, the reason on stderr."""
    assert main(["qr", PAYLOAD.replace("1.00", "9.00")]) == 1
    said = capsys.readouterr()
    assert "C116" in said.out
    assert said.err.startswith("paylab: this code cannot be paid: ")


def test_qr_without_its_mandatory_fields_is_not_ok(capsys):
    """A payload with a valid CRC that lacks a mandatory field ends with status 1."""
    assert main(["qr", emvqr.build({"00": "01", "59": "Ana"}), "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["ok"] is False
    assert "58 Country code" in said["problem"]


def test_qr_takes_a_payload_as_it_was_pasted(capsys):
    """White space around a payload is ignored."""
    assert main(["qr", f"  {PAYLOAD}\n", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["payload"] == PAYLOAD


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("t.csv", lambda path: pd.read_csv(path, dtype=str)),
        ("t.parquet", pd.read_parquet),
        ("t.xlsx", pd.read_excel),
        ("t/", pd.read_parquet),
    ],
    ids=["csv", "parquet", "xlsx", "folder"],
)
def test_export_writes_every_form(name, read, lab, tmp_path, capsys):
    """In every format, another program reads each transfer with its status and amount."""
    target = f"{tmp_path}/{name}"
    assert main(["export", "transfers", "--to", target, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 130
    frame = read(target)
    amounts = frame["source_amount"].map(lambda amount: Decimal(str(amount)))
    found = list(zip(frame["id"], frame["status"], amounts, strict=True))
    rows = [(row.id, row.status, row.source_amount) for row in lab.transfers.list()]
    assert sorted(found) == sorted(rows)


@pytest.mark.parametrize("as_json", [True, False])
def test_a_resumed_export_says_so(tmp_path, capsys, monkeypatch, as_json):
    """A resumed export reports the number of rows of the first run, and their time."""
    target = f"{tmp_path}/t.csv"
    with Server(Simulator(transfers=2000)) as server:
        monkeypatch.setenv("PAYLAB_BASE_URL", server.base_url)
        monkeypatch.setenv("PAYLAB_API_KEY", server.simulator.api_key)
        monkeypatch.setenv("PAYLAB_SECRET_KEY", server.simulator.secret_key)
        paylab.connect().simulator.faults.add("custom", status=403, every=18, times=1)
        assert main(["export", "transfers", "--to", target]) == 1
        capsys.readouterr()
        assert main(["export", "transfers", "--to", target, *["--json"] * as_json, "--resume"]) == 0
    out = capsys.readouterr().out
    assert "2000" in out
    if as_json:
        assert json.loads(out)["resumed"] == 1700
        assert json.loads(out)["oldest_page_at"].endswith("Z")
    else:
        assert "an interrupted export fetched 1700 of them from 20" in out


def test_doctor_finds_a_service_that_is_not_there(capsys, monkeypatch):
    """If the service cannot be reached, `doctor` ends with status 1 and prints BAD."""
    for name, value in {
        "BASE_URL": "http://127.0.0.1:9",
        "API_KEY": "k",
        "SECRET_KEY": "s",
    }.items():
        monkeypatch.setenv(f"PAYLAB_{name}", value)
    assert main(["doctor"]) == 1
    assert "BAD  service" in capsys.readouterr().out


def test_a_walkthrough_prints_one_line_of_json(capsys):
    """With --json, stdout has one line of JSON and stderr has the progress."""
    assert main(["walkthrough", "mx", "--json"]) == 0
    said = capsys.readouterr()
    facts = json.loads(said.out)
    assert (facts["status"], said.out.count("\n")) == ("completed", 1)
    assert len(facts["deposit_instructions"]["details"]["clabe"]) == 18
    assert facts["conversion_id"] in said.err


def test_a_walkthrough_follows_the_service(tmp_path, capsys, monkeypatch):
    """The example wallet is on a network that the service allows."""
    (tmp_path / "service.toml").write_text('[financial_accounts.crypto_wallet]\nallowed = ["tron"]')
    monkeypatch.setenv("PAYLAB_SERVICE", str(tmp_path / "service.toml"))
    assert main(["walkthrough", "mx"]) == 0
    assert " on tron\n" in capsys.readouterr().out


class Interrupted:
    """A standard input that is interrupted with Ctrl-C when it is read."""

    @property
    def buffer(self):
        """Raise KeyboardInterrupt."""
        raise KeyboardInterrupt


def test_an_interrupt_ends_with_130(monkeypatch, capsys):
    """Ctrl-C ends a command with status 130 and one line."""
    monkeypatch.setattr(sys, "stdin", Interrupted())
    assert main(["sign", "POST", "/v1/individuals", "--body", "-"]) == 130
    told = capsys.readouterr().err
    assert told.endswith("\npaylab: interrupted\n")
    assert "Traceback" not in told


LOADING = """
import os, runpy, signal, sys

class Interrupting:
    def find_spec(self, name, *_):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
sys.argv = ["paylab", "list", "transfers"]
runpy.run_module("paylab", run_name="__main__")
"""


@pytest.mark.parametrize("module", ["paylab.cli.main", "paylab.cli.request", "httpx"])
def test_an_interrupt_while_modules_are_loaded_is_one_line(module):
    """Ctrl-C before the command begins ends it with status 130 and one line."""
    command = [sys.executable, "-c", LOADING.format(module=module)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 130
    said = "paylab: SIMULATOR (embedded): PAYLAB_BASE_URL is not set\n"  # before httpx
    assert done.stderr.removeprefix(said if module == "httpx" else "") == "paylab: interrupted\n"


def test_a_reader_that_went_away_is_no_failure():
    """`paylab ... | head` ends without a traceback."""
    command = f"{sys.executable} -m paylab openapi | head -1"  # longer than a pipe holds
    shell = ["bash", "-c", command]
    done = subprocess.run(shell, capture_output=True, text=True, check=True)
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (["simulator", "--speed"], "from 0.001 to 1000000"),
        (["simulator", "--transfers"], "from 0 to 1000000"),
        (["simulator", "--port"], "from 0 to 65535"),
        (["payout", "x.csv", "--concurrency"], "from 1 to 64"),
        (["probe", "--budget"], "1 or more"),
        (["list", "transfers", "--limit"], "0 or more"),
    ],
)
@pytest.mark.parametrize("number", ["x", "-1", "9" * 5000])
def test_a_number_that_is_none_is_told_what_it_must_be(capsys, option, words, number):
    """An invalid number is refused with a message that says what is allowed."""
    with pytest.raises(SystemExit):
        main([*option, number])
    assert f"must be {words};" in capsys.readouterr().err


def test_a_busy_port_makes_no_file(tmp_path, capsys):
    """If the port is in use, the data file is not created."""
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port, data = str(busy.getsockname()[1]), tmp_path / "new.db"
        assert main(["simulator", "--port", port, "--data", str(data)]) == 2
    assert capsys.readouterr().err.endswith(f"port {port}: Address already in use\n")
    assert [*tmp_path.iterdir()] == []


def test_sync_keeps_a_folder_up_to_date(tmp_path, capsys, monkeypatch):
    """Each run writes what is new, from the overlap on or with `--full` all of it."""
    (tmp_path / "service.toml").write_text('[lists]\norder = "newest_first"\n')
    monkeypatch.setenv("PAYLAB_SERVICE", str(tmp_path / "service.toml"))
    lab = paylab.connect(simulator=Simulator(transfers=3))
    query = f"select id, source_amount from '{tmp_path}/*/*.parquet'"
    state = tmp_path.with_name(f"{tmp_path.name}.sync.json")
    first = lab.transfers.list().first()
    names = "payout_method", "source_currency", "destination_currency"
    rail = {name: getattr(first, name) for name in names}
    with lab.serve() as server:
        for name in ("base_url", "api_key", "secret_key"):
            monkeypatch.setenv(f"PAYLAB_{name.upper()}", getattr(server, name))
        for new in (3, 1, 0):
            if new == 1:
                lab.transfers.create(first.financial_account_id, source_amount="12.34", **rail)
            assert main(["sync", "transfers", str(tmp_path), "--json"]) == 0
            assert json.loads(capsys.readouterr().out)["new"] == new
            rows = [(row.id, row.source_amount) for row in lab.transfers.list()]
            assert sorted(duckdb.sql(query).fetchall()) == sorted(rows)
        state.write_text(
            re.sub('"newest": "[^"]*"', '"newest": "2099-01-01T00:00:00Z"', state.read_text())
        )
        next(tmp_path.rglob("*.parquet")).unlink()
        for how, new in ((["--overlap", "1h"], 0), (["--full"], 1)):
            assert main(["sync", "transfers", str(tmp_path), "--json", *how]) == 0
            assert bool(json.loads(capsys.readouterr().out)["new"]) == bool(new)


def test_an_export_to_standard_output_prints_only_csv(capfdbinary):
    """`--to -` prints only CSV, with the rows of one status."""
    assert main(["export", "transfers", "--to", "-", "--status", "failed"]) == 0
    header, *rows = capfdbinary.readouterr().out.decode().splitlines()
    assert header.startswith('"id"')
    assert rows
    assert all('"failed"' in row for row in rows)


def test_json_does_not_go_with_standard_output(capsys):
    """--json is refused with `--to -`, because it would be mixed with the rows."""
    assert main(["export", "transfers", "--to", "-", "--json"]) == 2
    assert "--json cannot be used with --to -" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", [["export", "transfers"], ["sync", "transfers", "rows"], ["payout", "rows.csv"]]
)
def test_a_misspelt_variable_ends_a_command_that_reads_or_pays(
    command, capsys, monkeypatch, tmp_path
):
    """With PAYLAB_APIKEY set, no simulator stands in for the service that was meant."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PAYLAB_APIKEY", "sk_private")
    extra = ["--to", "rows.csv"] if command[0] == "export" else []
    assert main([*command, *extra]) == 2
    told = capsys.readouterr()
    assert "PAYLAB_APIKEY is not known" in told.err
    assert "nearest: PAYLAB_API_KEY; rename or unset it" in told.err
    assert not list(tmp_path.iterdir())
    monkeypatch.delenv("PAYLAB_APIKEY")
    monkeypatch.setenv("PAYLAB_TIMEOUT", "5")
    assert main([*command, *extra]) == 2
    assert "has no effect; rename or unset it" in capsys.readouterr().err


def test_an_export_names_its_files_as_they_were_given(tmp_path, capsys, monkeypatch):
    """Both files of `--to t.csv` are named beside each other."""
    monkeypatch.chdir(tmp_path)
    assert main(["export", "transfers", "--to", "t.csv"]) == 0
    told = capsys.readouterr().out
    assert told == "130 transfers in t.csv; t.csv.columns.json describes its columns\n"


def test_paylab_alone_prints_its_help(capsys, monkeypatch):
    """Without arguments the help is printed, with status 0."""
    monkeypatch.setattr(sys, "argv", ["paylab"])
    with pytest.raises(SystemExit) as done:
        main()
    assert done.value.code == 0
    assert "usage: paylab" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "usage"), [("help", "usage: paylab [-h]"), ("help payout", "usage: paylab payout")]
)
def test_help_is_a_command_as_in_other_programs(capsys, given, usage):
    with pytest.raises(SystemExit) as done:
        main(given.split())
    assert done.value.code == 0
    assert capsys.readouterr().out.startswith(usage)


def test_the_help_lists_each_command_once_below_the_title_of_a_group(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    listing = capsys.readouterr().out.partition("COMMAND\n\n")[2].partition("\noptions:")[0]
    lines = listing.splitlines()
    assert re.findall(r"^    ([\w-]+) ", listing, re.MULTILINE) == [*COMMANDS]
    assert [line.strip(" :") for line in lines if line.endswith(":")] == [*GROUP_TITLES.values()]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("walkthrou --help", "no command 'walkthrou'; did you mean walkthrough?"),
        ("xyzzy --help", "no command 'xyzzy'; see"),
        ("walk", "no command 'walk'; did you mean walkthrough?"),
        ("get transfers --limit 2", "write it in the path, as 'transfers?limit=...'"),
        ("get transfers --verbse", "did you mean --verbose?"),
        ("transfers", "no command 'transfers'; to list them: paylab list transfers"),
        ("simulator --prot 1", "paylab simulator: '--prot' is no option or argument here"),
        ("list transfers --limt=2", "did you mean --limit? see paylab list --help"),
        ("list transfers --page-size 2", "did you mean --limit?"),
        (
            "sign POST /v1/x --json {}",
            "'{}' is no option or argument here: give a body with --body",
        ),
        ("calls --tale", "options are --help, --follow, --failed, --json; see"),
        ("calls --tail", "did you mean --follow?"),
        ("requests -n 5", "did you mean --last?"),
        ("trasnfers", "no command 'trasnfers'; to list them: paylab list transfers"),
        ("quote", "no command 'quote'; to get one: paylab post quotes"),
        ("lgoin", "no command 'lgoin'; did you mean init?"),
        ("get transfers tr_1", "it takes only one PATH, such as transfers/ID"),
        ("post transfers amount=5", "the body is --json '{...}'"),
        ("sign POST /v1/x -d {}", "did you mean --body?"),
        ("payout --file p.csv", "write FILE.csv without --file"),
        ("payout p.csv --currency USD", "mean --source-currency or --destination-currency?"),
        ("sync transfers --to out", "write DIR/ without --to"),
        ("site out", "did you mean --out?"),
        ("probe http://localhost", "set PAYLAB_BASE_URL"),
        ("ready --from x.har", "did you mean --har?"),
        ("simulator --seed x", "argument --seed: must be a whole number"),
        ("sync transfers out/ --scale x", "argument --scale: must be 0 or more"),
        ("reconcile b.csv --tolerance 0.01", "'0.01' has no =: write CURRENCY=AMOUNT"),
        ("listen --events transfer.paid", "not transfer.paid; is transfer.completed meant?"),
        ("export transfers --to a.csv --from 2026", "did you mean --since?"),
        ("export transfers -o a.csv", "did you mean --to?"),
        ("get transfers --format json", "'--format' is no option or argument here: the output is"),
        ("export transfers --to a.csv --zzz", "options are --help, --to, --columns, --since"),
        (
            "--foo list transfers",
            "paylab: '--foo' is no option or argument here: options are --help, --version, ",
        ),
        ("trigger transfer.complete", "did you mean transfer.completed?"),
        ("export transfers t.csv", "argument here: did you mean --to t.csv? see paylab export"),
        ("export transfrs", "must be one of transfers, conversions; did you mean transfers?"),
        ("walkthrough xyz", "'xyz' must be one of mx, ph"),
        ("walkthrough", "the following arguments are required: mx|ph; see"),
        ("lists", "did you mean list? see paylab --help"),
    ],
)
def test_a_misspelt_word_names_a_similar_one(capsys, given, words):
    """One sentence names the similar command or choice, or none, and not all commands."""
    with pytest.raises(SystemExit) as done:
        main(given.split())
    assert done.value.code == 2
    told = capsys.readouterr().err
    assert words in told
    assert len(told.splitlines()) == 1
    assert len(told) < (400 if "must be one of" in told or "options are" in told else 150)


def test_the_template_of_payouts_is_a_file_that_passes_the_checks(capsys, tmp_path):
    """`payout --template` prints a header and two rows without problems; the help names them."""
    assert main(["payout", "--template"]) == 0
    template = capsys.readouterr().out
    assert len(template.splitlines()) == 3
    (tmp_path / "payouts.csv").write_text(template)
    assert main(["payout", str(tmp_path / "payouts.csv"), "--dry-run"]) == 0
    assert "2 payouts, no problems" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["payout", "--help"])
    told = capsys.readouterr().out
    assert all(name in told for name in COLUMNS)


def test_every_file_that_a_command_writes_is_named(capsys, tmp_path):
    """An export names the file of its columns too, and a picture of a QR code is named."""
    assert main(["export", "transfers", "--to", str(tmp_path / "all.csv")]) == 0
    assert main(["qr", "hello", "--out", str(tmp_path / "code.png")]) == 1
    told = capsys.readouterr()
    assert all(str(path) in told.out + told.err for path in tmp_path.iterdir())
    assert "an EMV payload begins with 000201, so this is drawn as text" in told.err


def test_conversions_are_exported_too(tmp_path, capsys):
    """The other list has no filter by product."""
    assert main(["export", "conversions", "--to", str(tmp_path / "c.csv"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["rows"] == 0
    assert told["columns"].endswith("c.csv.columns.json")
    filtered = ["export", "transfers", "--product-type", "on_ramp"]
    assert main([*filtered, "--to", str(tmp_path / "t.csv")]) == 0
    assert capsys.readouterr().out.startswith("0 transfers in ")


@pytest.mark.parametrize(("typed", "country", "times"), [("MX", "mx", 1), ("ph", "ph", 2)])
def test_a_walkthrough_writes_files(tmp_path, capsys, typed, country, times):
    """The folder is made; the lists are there, and a QR code where there is one."""
    folder = tmp_path / "new" / "out"
    for _ in range(times):
        assert main(["walkthrough", typed, "--out", str(folder)]) == 0
    names = {"conversions.csv", "transfers.csv"} | ({"qrph.png"} if country == "ph" else set())
    assert names <= {path.name for path in folder.iterdir()}
    told = capsys.readouterr().out
    assert ("qrph.png" in told) is (country == "ph")
    assert {"mx": "document-front, selfie", "ph": "document-back, selfie"}[country] in told
    steps = [line.split()[-1] for line in told.splitlines() if line.startswith("Account ")]
    assert steps == {"mx": ["active"], "ph": ["pending", "active"]}[country] * times


@pytest.mark.parametrize(
    ("variables", "status"),
    [
        ({}, 0),
        ({"API_KEY": "pk_own", "SECRET_KEY": "sk_own"}, 0),
        ({"API_KEY": "pk_own"}, 2),
        ({"SECRET_KEY": "sk_own"}, 2),
    ],
)
def test_a_simulator_has_random_keys_or_those_of_the_environment(
    monkeypatch, capfd, variables, status
):
    """Both keys are set, or neither."""
    for name, value in variables.items():
        monkeypatch.setenv(f"PAYLAB_SIMULATOR_{name}", value)
    show = "import os; print(os.environ['PAYLAB_API_KEY'], os.environ['PAYLAB_SECRET_KEY'])"
    assert main(["simulator", "--", sys.executable, "-c", show]) == status
    told = capfd.readouterr()
    if status:
        assert "set both PAYLAB_SIMULATOR_API_KEY and PAYLAB_SIMULATOR_SECRET_KEY" in told.err
    else:
        start = "pk_own sk_own" if variables else "pk_simulator_"
        assert told.out.startswith(start)


def test_a_simulator_refuses_keys_that_no_client_sends(monkeypatch, capfd):
    """Refused at the start, before the command that it is for."""
    monkeypatch.setenv("PAYLAB_SIMULATOR_API_KEY", "bad key\n")
    monkeypatch.setenv("PAYLAB_SIMULATOR_SECRET_KEY", "sk_own")
    assert main(["simulator", "--", sys.executable, "-c", "print('started')"]) == 2
    told = capfd.readouterr()
    assert "api_key must be printable ASCII" in told.err
    assert "started" not in told.out


def test_a_printed_document_is_indented_by_two(capsys):
    """Readable JSON, with text as it is."""
    assert main(["openapi"]) == 0
    told = capsys.readouterr().out
    assert told.startswith('{\n  "openapi": "3.1.0",\n  "info": {\n    "title"')
    assert "\\u" not in told


def test_a_code_that_is_fine_is_told_as_json(capsys):
    """`ok` is true and there is no problem; a text that is no payload has one."""
    assert main(["qr", PAYLOAD, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["ok"], "problem" in told) == (True, False)
    assert main(["qr", "hello", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["ok"], "problem" in told) == (False, True)


def test_headers_signed_with_the_simulators_secret_are_recognised(tmp_path, capsys, monkeypatch):
    """A comparison names the secret that was used by mistake: that of the simulator."""
    assert main(["sign", "GET", "https://a.example.com/v1/transfers", "--json"]) == 0
    headers = json.loads(capsys.readouterr().out)["headers"]
    file = tmp_path / "headers.txt"
    file.write_text("".join(f"{name}: {value}\n" for name, value in headers.items()))
    monkeypatch.setenv("PAYLAB_SECRET_KEY", "another")
    compare = ["sign", "GET", "https://a.example.com/v1/transfers", "--compare", str(file)]
    assert main([*compare, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert "another-secret" in str(found) or "secret" in str(found)
    file.write_text("no header")
    assert main(compare) == 2
    assert "has no `Name: value` line" in capsys.readouterr().err


@pytest.mark.parametrize(("url", "status"), [("https://a.test/v1/transfers", 0), ("/v1/x", 2)])
def test_a_full_url_is_signed_without_a_base_url(url, status, monkeypatch, capsys):
    """The configured keys sign a full URL; only a path needs the base URL."""
    monkeypatch.delenv("PAYLAB_BASE_URL", raising=False)
    monkeypatch.setenv("PAYLAB_API_KEY", "key_1")
    monkeypatch.setenv("PAYLAB_SECRET_KEY", "secret_1")
    assert main(["sign", "GET", url, "--json"]) == status
    output = capsys.readouterr()
    assert ("Credential=key_1," in output.out) == (status == 0)
    assert ("base_url is missing" in output.err) == (status == 2)


def test_qr_reads_a_picture(tmp_path, capsys):
    """A path of a picture is read, as with --scan: what is printed is that of its text."""
    assert main(["qr", PAYLOAD, "--json", "--out", f"{tmp_path}/code.png"]) == 0
    drawn = capsys.readouterr().out
    for arguments in (["--scan"], []):
        assert main(["qr", *arguments, f"{tmp_path}/code.png", "--json"]) == 0
        assert capsys.readouterr().out == drawn


def test_a_server_with_a_line_break_is_refused(capsys, tmp_path):
    """It could write lines of its own into a collection."""
    out = tmp_path / "collection"
    arguments = ["openapi", "--collection", "bruno", "--server", "https://a.test/\nscript: x"]
    assert main([*arguments, "--to", str(out)]) == 2
    assert "--server" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("transfer", "the specification has no GET /v1/transfer: is /v1/transfers meant?"),
        ("transfers/", "the specification has no GET /v1/transfers/: is /v1/transfers meant?"),
        ("v1/transfer", "the specification has no GET /v1/transfer: is /v1/transfers meant?"),
        ("/v1/individual/ind_1", "is /v1/individuals/{id} meant?"),
        ("/v3/xyzzy", "the specification has no GET /v3/xyzzy: paylab openapi prints those"),
    ],
)
def test_a_misspelt_path_names_the_one_that_is_meant(capsys, path, words):
    """A 404 of a path that no operation has does not doubt the address of the service."""
    assert main(["get", path]) == 1
    error_text = capsys.readouterr().err
    assert words in error_text
    assert "base URL" not in error_text.partition("404")[2]
