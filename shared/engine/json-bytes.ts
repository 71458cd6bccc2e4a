/** Bytes of JSON syntax, for code that counts the values in a JSON text without parsing the text. */
export const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = Buffer.from('"\\,[{');
