/**
 * Reads the signature of a P-256 key. Passkeys sign in DER, and Web Crypto verifies two plain numbers. The bundle has this
 * file in place of the passkey library's 90 KB for all of ASN.1 (`infra/build/trim.ts`).
 */
const SEQUENCE = 0x30;
const INTEGER = 0x02;
const NUMBER_BYTES = 32;
/** COSE's name of the curve P-256. */
export const P256 = 1;

/** Throws for every text that is not exactly one sequence of two positive integers. */
export function plainSignature(der: Uint8Array, curve: number): Uint8Array {
  const bytes = Buffer.from(der);
  if (curve !== P256 || bytes[0] !== SEQUENCE || bytes[1] !== bytes.length - 2) throw malformed();
  const first = integerAt(bytes, 2);
  const second = integerAt(bytes, first.end);
  if (second.end !== bytes.length) throw malformed();
  return new Uint8Array(Buffer.concat([first.number, second.number]));
}

function integerAt(bytes: Buffer, start: number): { readonly number: Buffer; readonly end: number } {
  const length = bytes[start + 1] ?? 0;
  const end = start + 2 + length;
  if (bytes[start] !== INTEGER || length === 0 || end > bytes.length) throw malformed();
  // A zero in front keeps a number positive.
  const isPadded = bytes[start + 2] === 0 && length > 1;
  const digits = bytes.subarray(start + (isPadded ? 3 : 2), end);
  if (digits.length > NUMBER_BYTES || (!isPadded && (digits[0] ?? 0) >= 0x80)) throw malformed();
  return { number: Buffer.concat([Buffer.alloc(NUMBER_BYTES - digits.length), digits]), end };
}

const malformed = () => new Error('The signature is not a sequence of two positive integers of the curve P-256');
