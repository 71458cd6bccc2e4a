/** Bytes of JSON syntax, with which the values in a JSON text are counted without parsing the text. */
export const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = Buffer.from('"\\,[{');
