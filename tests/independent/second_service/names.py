"""Names of fields: from their body to ours, and from ours to theirs."""


def inward(body, names, at=""):
    """A body with our names; what stands under a name that we have renamed gets a "?" in front."""
    if isinstance(body, list):
        return [inward(each, names, f"{at}*.") for each in body]
    if not isinstance(body, dict):
        return body
    here = {path[len(at) :]: their for path, their in names.items() if path.startswith(at)}
    here = {our: their for our, their in here.items() if "." not in our}
    ours = {their: our for our, their in here.items()}
    result = {}
    for name, value in body.items():
        our = ours.get(name, f"?{name}" if name in here else name)
        result[our] = inward(value, names, f"{at}{our}.")
    return result


def outward(body, names, at=""):
    """A body with their names."""
    if isinstance(body, list):
        return [outward(each, names, f"{at}*.") for each in body]
    if not isinstance(body, dict):
        return body
    return {
        names.get(f"{at}{name}", name): outward(value, names, f"{at}{name}.")
        for name, value in body.items()
    }


def their_path(field, names):
    """The path of a problem in their names."""
    ours, theirs = [], []
    for part in field.split("."):
        ours.append("*" if part.isdigit() else part)
        theirs.append(names.get(".".join(ours), part.removeprefix("?")))
    return ".".join(theirs)


def put(body, path, value):
    """Put a value at a dotted path and make the objects on the way."""
    *parents, last = path.split(".")
    for part in parents:
        body = body.setdefault(part, {})
    body[last] = value
