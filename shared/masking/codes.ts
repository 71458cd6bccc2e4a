/** Reads texts as arrays of UTF-16 codes, in which a loop finds a code three times as fast as in a string. */

/** An array for texts of up to this many characters is kept, because new ones for each text take longer and leave more memory behind. */
const LONGEST = 1024 * 1024;
/** Zeros after the last code, so that a few codes may be read ahead without asking for the end. */
const ZEROS = 16;

let bytes = Buffer.alloc(2 * (16 * 1024 + ZEROS));
let codes = toCodes(bytes);

/** The codes of the text and some zeros. Valid until the next call. */
export function readCodes(text: string): Uint16Array {
  if (text.length > LONGEST) {
    const ownBytes = Buffer.alloc(2 * (text.length + ZEROS));
    ownBytes.write(text, 'utf16le');
    return toCodes(ownBytes);
  }
  if (text.length + ZEROS > codes.length) {
    bytes = Buffer.alloc(2 * (Math.min(2 * text.length, LONGEST) + ZEROS));
    codes = toCodes(bytes);
  }
  bytes.write(text, 'utf16le');
  codes.fill(0, text.length, text.length + ZEROS);
  return codes;
}

function toCodes(buffer: Buffer): Uint16Array {
  return new Uint16Array(buffer.buffer, buffer.byteOffset, buffer.length / 2);
}
