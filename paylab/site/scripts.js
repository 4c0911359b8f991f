// Loads the scripts of this page from compressed files, which every host sends as they are.
{
  const source = Object.getOwnPropertyDescriptor(HTMLScriptElement.prototype, "src");
  const addresses = new WeakMap();
  const root = new URL("..", document.baseURI).href;

  Object.defineProperty(HTMLScriptElement.prototype, "src", {
    ...source,
    get() {
      return addresses.get(this) ?? source.get.call(this);
    },
    set(address) {
      const { href } = new URL(address, document.baseURI);
      if (!href.startsWith(root)) return source.set.call(this, address);
      addresses.set(this, href); // scripts look for others beside this address
      load(this, new URL(href));
    },
  });

  async function load(script, { origin, pathname, search }) {
    try {
      const response = await fetch(`${origin}${pathname}.bin${search}`);
      const stream = response.body.pipeThrough(new DecompressionStream("gzip"));
      const code = await new Response(stream).blob();
      await window.paylabOpening; // what is seen first comes first
      const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
      script.addEventListener("load", () => URL.revokeObjectURL(address));
      source.set.call(script, address);
    } catch (error) {
      console.error(error);
      script.dispatchEvent(new Event("error"));
    }
  }
}
