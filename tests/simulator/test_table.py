"""Tables and delivery lanes, compared with a simple implementation."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from paylab.simulator.delivery_queue import DeliveryQueue
from paylab.simulator.table import Table, row_position

rows = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from("12")), unique_by=lambda row: row[0]
)

few = settings(max_examples=40)


def table_of(made, order="newest_first"):
    """A table in which each row was put separately."""
    table = Table(order)
    for row_id, moment in made:
        table.put({"id": row_id, "created_at": moment})
    return table


@few
@given(rows, st.tuples(st.text(), st.text()) | st.none())
def test_a_list_is_in_descending_order_and_starts_after_a_given_position(made, before):
    """A list is in descending order and starts after a given position."""
    table = table_of(made)
    chosen = [row for row in table.rows.values() if not before or row_position(row) < before]
    assert [*table.list_rows(before)] == sorted(chosen, key=row_position)[::-1]


@few
@given(rows, st.sampled_from(["oldest_first", "unknown"]))
def test_a_list_goes_on_after_each_of_its_rows(made, order):
    """A list goes on after each of its rows; the oldest is first, or the order is not of time."""
    table = table_of(made, order)
    listed = [*table.list_rows()]
    assert sorted(listed, key=row_position) == [*table_of(made, "oldest_first").list_rows()]
    assert order == "unknown" or listed == sorted(listed, key=row_position)
    for at, row in enumerate(listed, 1):
        assert [*table.list_rows(row_position(row))] == listed[at:]
    moved = table_of([(row_id, "9") for row_id, _ in made], order)
    assert order != "unknown" or [*moved.list_rows()] == [
        row | {"created_at": "9"} for row in listed
    ]


@few
@given(rows)
def test_extend_gives_the_same_order_as_separate_puts(made):
    """`extend` gives the same order as separate puts; putting a row again keeps the order."""
    one, other = table_of(made), Table()
    other.extend(one.rows.values())
    for row in list(one.rows.values()):
        one.put(row)
    assert [*one.list_rows()] == [*other.list_rows()]


@few
@given(rows)
def test_a_row_that_is_put_with_the_same_id_replaces_the_old_one(made):
    """A row that is put with the same id replaces the old one."""
    table = table_of(made)
    before = [row["id"] for row in table.list_rows()]
    for row in list(table.rows.values()):
        table.put({**row, "is_new": True})
    assert [row["id"] for row in table.list_rows() if row["is_new"]] == before


@few
@given(rows, st.sampled_from("abcdef"))
def test_a_removed_row_is_in_no_list_and_the_other_rows_keep_their_order(made, gone):
    """A removed row is in no list, and the other rows keep their order."""
    table = table_of(made)
    if gone in table.rows:
        table.remove(gone)
    rest = table_of([row for row in made if row[0] != gone])
    assert [*table.list_rows()] == [*rest.list_rows()]


def queued(number, lane, due):
    """A row of the delivery queue."""
    return {"id": str(number), "rank": number, "lane": lane, "due": str(due)}


@few
@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3))), st.data())
def test_only_the_first_row_of_a_lane_is_taken_when_it_is_due(made, data):
    """Only the first row of a lane is taken, when it is due; each is taken once, in order."""
    lanes, went = DeliveryQueue(), []
    for number, (lane, due) in enumerate(made):
        lanes.add(queued(number, lane, due))
    under_way = []
    for now in "0123":
        while (row := lanes.take_due(now)) is not None:
            assert row["due"] <= now
            assert row["lane"] not in [each["lane"] for each in under_way]
            under_way.append(row)
            if data.draw(st.booleans()):
                went.append(under_way.pop(0))
                lanes.remove(went[-1])
    while under_way:
        went.append(under_way.pop(0))
        lanes.remove(went[-1])
        while (row := lanes.take_due("9")) is not None:
            under_way.append(row)
    assert sorted(int(row["id"]) for row in went) == [*range(len(made))]
    for lane in "ab":
        ranks = [row["rank"] for row in went if row["lane"] == lane]
        assert ranks == sorted(ranks)
    assert lanes.next_due() is None
