/** The bytes by which the values of a JSON text are counted without parsing the text. */
export const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = Buffer.from('"\\,[{');
