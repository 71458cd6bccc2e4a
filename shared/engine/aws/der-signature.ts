/**
 * Converts a P-256 signature from DER, as passkeys and KMS produce it, to the two plain numbers that Web Crypto
 * expects. In the bundle, this file replaces 90 KB of ASN.1 code in the passkey library (`infra/build/trim.ts`).
 */
const SEQUENCE = 0x30;
const INTEGER = 0x02;
const NUMBER_BYTES = 32;
/** The COSE identifier of the curve P-256. */
export const P256 = 1;

/** Throws unless the curve is P-256 and the bytes are one sequence of two integers that are not negative and have at most 32 bytes. */
export function plainSignature(der: Uint8Array, curve: number): Uint8Array {
  const bytes = Buffer.from(der);
  if (curve !== P256 || bytes[0] !== SEQUENCE || bytes[1] !== bytes.length - 2) throw malformed();
  const first = readInteger(bytes, 2);
  const second = readInteger(bytes, first.end);
  if (second.end !== bytes.length) throw malformed();
  return new Uint8Array(Buffer.concat([first.number, second.number]));
}

function readInteger(bytes: Buffer, start: number): { readonly number: Buffer; readonly end: number } {
  const length = bytes[start + 1] ?? 0;
  const end = start + 2 + length;
  if (bytes[start] !== INTEGER || length === 0 || end > bytes.length) throw malformed();
  // DER prepends a zero byte to numbers that would otherwise be negative.
  const isPadded = bytes[start + 2] === 0 && length > 1;
  const digits = bytes.subarray(start + (isPadded ? 3 : 2), end);
  if (digits.length > NUMBER_BYTES || (!isPadded && (digits[0] ?? 0) >= 0x80)) throw malformed();
  return { number: Buffer.concat([Buffer.alloc(NUMBER_BYTES - digits.length), digits]), end };
}

const malformed = () => new Error('The signature is not a DER sequence of two positive integers for P-256');
