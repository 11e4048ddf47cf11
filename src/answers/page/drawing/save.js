/* Saves the table as CSV. Nothing leaves the page: the file is made in it. */

/** Offers `parts` as a file to save. */
function download(name, type, parts) {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  h("a", { href: url, download: name }).click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** A text as a field of CSV: a spreadsheet would compute one that begins like a formula. */
const csvText = (text) => (/^'*[=+\-@\t\r\n＝＋－＠]/.test(text) && !Number.isFinite(Number(text)) ? `'${text}` : text);

/** A table as CSV, by RFC 4180. */
function csvOf({ columns, rows }) {
  const field = (value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  return [columns, ...rows].map((row) => `${row.map(csvText).map(field).join(",")}\r\n`).join("");
}
