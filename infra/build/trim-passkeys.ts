/** Replaces the parts of the passkey library that a sign-in without attestation does not need: 280 KB of the function. */
import { join } from 'node:path';
import type { Trim } from './trim-file.ts';

const DER_SIGNATURE = join(import.meta.dirname, '../../shared/engine/signing/der-signature.ts');

export const TRIMS_OF_PASSKEYS: readonly Trim[] = [
  {
    // Passkeys are registered without attestation. Browsers then send an empty statement, or a signature of the key by
    // itself ("packed"). Neither says anything about the device.
    file: /@simplewebauthn\/server\/esm\/registration\/verifications\/(tpm\/)?verifyAttestation\w+\.js$/,
    becomes: `const unknown = async () => false, itself = async ({ attStmt }) => !attStmt.has('x5c');
      export { itself as verifyAttestationPacked, unknown as verifyAttestationFIDOU2F, unknown as verifyAttestationTPM,
        unknown as verifyAttestationAndroidSafetyNet, unknown as verifyAttestationAndroidKey,
        unknown as verifyAttestationApple };`,
  },
  {
    // The certificates of makers of devices, and the algorithms of other versions of Node.
    file: /@simplewebauthn\/server\/esm\/services\/(settings|metadata)Service\.js$/,
    becomes: `export const SettingsService = { getRootCertificates: () => [], runtimeSupportsPQC: () => false };
      export const MetadataService = {}, BaseMetadataService = undefined;`,
  },
  {
    // Only attestation has certificates.
    file: /@simplewebauthn\/server\/esm\/helpers\/convertX509PublicKeyToCOSE\.js$/,
    becomes: "export const convertX509PublicKeyToCOSE = () => { throw new Error('Certificates are not supported'); };",
  },
  {
    // A list of all helpers, of which one line is used.
    file: /@simplewebauthn\/server\/esm\/helpers\/index\.js$/,
    becomes: (source) => /^export .*iso\/index\.js.*$/m.exec(source)?.[0] ?? '',
  },
  {
    // Reads DER by an engine for all of ASN.1.
    file: /@simplewebauthn\/server\/esm\/helpers\/iso\/isoCrypto\/unwrapEC2Signature\.js$/,
    becomes: `export { plainSignature as unwrapEC2Signature } from ${JSON.stringify(DER_SIGNATURE)};`,
  },
];
