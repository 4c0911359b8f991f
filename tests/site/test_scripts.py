"""The compressed scripts of a site's notebooks."""

import gzip

from paylab.site.scripts import add_first_scripts, compress_scripts

PAGE = '<head>\n<link id="main" rel="preload" href="../build/bundle.js" as="script">\n</head>'


def test_scripts_of_pages_are_replaced_by_compressed_ones(tmp_path):
    """Programs of workers and all that is no script stay as they are."""
    contents = {
        "build/a.js": b"run()" * 99,
        "extensions/x/static/b.js": b"b()",
        "extensions/x/static/c.worker.1.js": b"c()",
        "build/style.css": b"p {}",
        "config-utils.js": b"d()",
    }
    for name, content in contents.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    compress_scripts(tmp_path)
    for name, content in contents.items():
        if name in ("build/a.js", "extensions/x/static/b.js"):
            assert gzip.decompress((tmp_path / f"{name}.bin").read_bytes()) == content
            assert not (tmp_path / name).exists()
        else:
            assert (tmp_path / name).read_bytes() == content


def test_a_page_loads_its_scripts_compressed_and_none_as_it_was():
    """What starts Python and loads them comes before, and the first script is not preloaded."""
    page = add_first_scripts(PAGE)
    assert page.index("worker.mjs") < page.index("DecompressionStream") < page.index('id="main"')
    assert 'href="../build/bundle.js"' in page
    assert 'rel="preload"' not in page
