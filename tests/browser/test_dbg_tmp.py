def test_x(notebook, tmp_path):
    from test_images import BEGIN, FORM
    from paylab.views.specimens import specimen
    o=notebook("images.ipynb",[BEGIN,FORM])
    log=[]
    o.page.on("console", lambda m: log.append(m.text))
    o.page.on("pageerror", lambda m: log.append(str(m)))
    o.run_all()
    p=tmp_path/"f.jpg"; p.write_bytes(specimen("selfie").ljust(50000,b"\0"))
    o.page.wait_for_timeout(3000)
    o.shot("dbg1")
    o.label("Front of the document: choose a file").last.set_input_files(p)
    o.page.wait_for_timeout(3000)
    o.shot("dbg2")
    print("\n".join(log))
