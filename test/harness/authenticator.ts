/**
 * A software authenticator with one passkey (WebAuthn, ES256). It also signs data that a real authenticator would
 * refuse to sign.
 */
import { createHash, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { noise } from './noise.ts';

const FLAGS = { present: 0x01, verified: 0x04, attested: 0x40 };
const CREDENTIAL_ID_BYTES = 32;

export interface Options {
  readonly challenge: string;
}

/** Values that replace the correct values of a response, for tests of attacks. */
export interface Deviation {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly isVerified?: boolean;
  readonly counter?: number;
  readonly credentialId?: string;
  readonly userHandle?: string | undefined;
  /** Whether the page is in a frame of another site. */
  readonly crossOrigin?: boolean;
  readonly topOrigin?: string;
}

export interface Authenticator {
  readonly credentialId: string;
  /** Returns the result of `navigator.credentials.create()` as JSON. */
  readonly create: (options: Options, deviation?: Deviation) => string;
  /** Returns the result of `navigator.credentials.get()` as JSON. */
  readonly get: (options: Options, deviation?: Deviation) => string;
}

const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest();

export function authenticator(site: string, accountId: string): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = base64url(noise(CREDENTIAL_ID_BYTES));
  const { hostname } = new URL(site);
  const clientData = (type: string, { challenge }: Options, deviation: Deviation) =>
    JSON.stringify({
      type: deviation.type ?? type,
      challenge: deviation.challenge ?? challenge,
      origin: deviation.origin ?? site,
      crossOrigin: deviation.crossOrigin ?? false,
      topOrigin: deviation.topOrigin,
    });
  const head = ({ rpId = hostname, isVerified = true, counter = 0 }: Deviation, flags: number) =>
    Buffer.concat([sha256(rpId), Buffer.from([flags | (isVerified ? FLAGS.verified : 0)]), uint32(counter)]);
  const answer = (credentialId: string, response: object) =>
    JSON.stringify({ id: credentialId, rawId: credentialId, type: 'public-key', clientExtensionResults: {}, response });
  return {
    credentialId: id,
    create: (options, deviation = {}) => {
      const authData = Buffer.concat([
        head(deviation, FLAGS.present | FLAGS.attested),
        Buffer.alloc(16),
        uint16(CREDENTIAL_ID_BYTES),
        Buffer.from(id, 'base64url'),
        coseKey(publicKey),
      ]);
      const clientDataJSON = base64url(clientData('webauthn.create', options, deviation));
      return answer(id, { clientDataJSON, attestationObject: base64url(withoutAttestation(authData)) });
    },
    get: (options, deviation = {}) => {
      const { credentialId = id } = deviation;
      const data = clientData('webauthn.get', options, deviation);
      const authData = head(deviation, FLAGS.present);
      const signature = createSign('sha256').update(authData).update(sha256(data)).sign(privateKey);
      const userHandle = 'userHandle' in deviation ? deviation.userHandle : accountId;
      return answer(credentialId, {
        clientDataJSON: base64url(data),
        authenticatorData: base64url(authData),
        signature: base64url(signature),
        ...(userHandle === undefined ? {} : { userHandle: base64url(userHandle) }),
      });
    },
  };
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const uint16 = (value: number): Buffer => uint32(value).subarray(2);

/** Encodes the COSE key {1: 2, 3: -7, -1: 1, -2: x, -3: y} as CBOR (RFC 8949). */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const coordinate = (label: number, text: string) =>
    Buffer.concat([Buffer.from([label, 0x58, 32]), Buffer.from(text, 'base64url')]);
  const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]);
  return Buffer.concat([head, coordinate(0x21, x), coordinate(0x22, y)]);
}

/** Encodes the map {fmt: "none", attStmt: {}, authData} as CBOR. */
const withoutAttestation = (authData: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from([0xa3]),
    text('fmt'),
    text('none'),
    text('attStmt'),
    Buffer.from([0xa0]),
    text('authData'),
    Buffer.from([0x58, authData.length]),
    authData,
  ]);

const text = (value: string): Buffer => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
