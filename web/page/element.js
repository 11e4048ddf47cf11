// Creates elements in one expression. Text never becomes markup, whatever a file contains.

/** A function as an attribute's value is a listener, `true` an attribute without a value; null and false add none. */
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

export function download(name, type, text) {
    const address = URL.createObjectURL(new Blob([text], { type }));
    const link = element("a", { href: address, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export const byId = (id) => document.getElementById(id);
