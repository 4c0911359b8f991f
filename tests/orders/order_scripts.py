"""Scripts that pay in processes of their own, and what they print."""

from payments_service import ORDER

INVOICE = {**ORDER, "client_reference_id": "invoice-7"}
START = f"import paylab\nORDER = {ORDER!r}\nINVOICE = {INVOICE!r}\n"
PAY = START + "lab = paylab.connect()\nprint('ID', lab.transfers.create(**NAME).id)\n"


def ids(*processes):
    """Return what each script printed after `ID`, all in one list."""
    texts = [process.communicate(timeout=60) for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes), texts
    lines = [line for out, _ in texts for line in out.splitlines()]
    return [line.removeprefix("ID ") for line in lines if line.startswith("ID ")]
