// Elements, made in one expression. Text is always text: nothing that a file holds becomes markup.

/** An element with attributes (functions are listeners, `true` is a bare attribute, null and false are none) and children. */
export function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function") made.addEventListener(name, value);
        else if (value === true) made.setAttribute(name, "");
        else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
    }
    made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
    return made;
}

/** A name that breaks after its underlines where the page is narrow. */
export function breakable(name) {
    return name.split(/(?<=_)/).flatMap((part, place) => place === 0 ? [part] : [element("wbr"), part]);
}

/** Hands the user a file. */
export function download(name, type, text) {
    const address = URL.createObjectURL(new Blob([text], { type }));
    const link = element("a", { href: address, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** The element of this id. */
export const byId = (id) => document.getElementById(id);
