/** Addresses that clients send and pages link. */

/** `https:` or `http:`, without credentials. Any other text, such as a script, is no address. */
const WEB_ADDRESS = /^https?:\/\/[^\s/?#@\\]{1,255}(?:[/?#][^\s\\]*)?$/;

const MOST_CHARACTERS = 500;

export const findWebAddress = (text: string | null | undefined): string | undefined =>
  text != null && text.length <= MOST_CHARACTERS && WEB_ADDRESS.test(text) && URL.canParse(text) ? text : undefined;
