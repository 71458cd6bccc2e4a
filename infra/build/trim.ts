/**
 * Replaces library code that a Lambda function never runs, at bundling. Each entry states how much CPU time it saves in
 * a cold start of the authorizer and the history page, and how many bytes of the bundle. An upgrade of a library may
 * break a patch, so each must save at least 2 %. Two entries have other reasons.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';

const DER_SIGNATURE = join(import.meta.dirname, '../../shared/engine/aws/der-signature.ts');

/** Removes what a sign-in without attestation does not need from the passkey library: 280 KB of the function. */
const TRIMS_OF_PASSKEYS: readonly Trim[] = [
  {
    // Passkeys are registered without attestation. Browsers then send an empty statement or a self-signed one
    // ("packed").
    // Neither says anything about the device.
    file: /@simplewebauthn\/server\/esm\/registration\/verifications\/(tpm\/)?verifyAttestation\w+\.js$/,
    becomes: `const unknown = async () => false, itself = async ({ attStmt }) => !attStmt.has('x5c');
      export { itself as verifyAttestationPacked, unknown as verifyAttestationFIDOU2F, unknown as verifyAttestationTPM,
        unknown as verifyAttestationAndroidSafetyNet, unknown as verifyAttestationAndroidKey,
        unknown as verifyAttestationApple };`,
  },
  {
    // Certificates of device makers, and algorithms of other Node versions.
    file: /@simplewebauthn\/server\/esm\/services\/(settings|metadata)Service\.js$/,
    becomes: `export const SettingsService = { getRootCertificates: () => [], runtimeSupportsPQC: () => false };
      export const MetadataService = {}, BaseMetadataService = undefined;`,
  },
  {
    // Only attestation uses certificates.
    file: /@simplewebauthn\/server\/esm\/helpers\/convertX509PublicKeyToCOSE\.js$/,
    becomes: "export const convertX509PublicKeyToCOSE = () => { throw new Error('Certificates are not supported'); };",
  },
  {
    // Re-exports all helpers, of which one is used.
    file: /@simplewebauthn\/server\/esm\/helpers\/index\.js$/,
    becomes: (source) => /^export .*iso\/index\.js.*$/m.exec(source)?.[0] ?? '',
  },
  {
    // Uses a full ASN.1 parser to read DER.
    file: /@simplewebauthn\/server\/esm\/helpers\/iso\/isoCrypto\/unwrapEC2Signature\.js$/,
    becomes: `export { plainSignature as unwrapEC2Signature } from ${JSON.stringify(DER_SIGNATURE)};`,
  },
];

/** Adapts the OAuth library to bundling. */
const TRIMS_OF_OAUTH: readonly Trim[] = [
  {
    // Keeps the class names of models: the library stores them, and minifying changes them.
    file: /oidc-provider\/lib\/models\/(?!index|payload|token_helpers)\w+\.js$/,
    becomes: (source) =>
      source.replace(/\bclass (\w+)( extends [\w.()]+)? \{/g, "$& static get name() { return '$1'; }"),
  },
  {
    // 400 KB in three versions. The server reads and writes these types only.
    file: /\/mime-db\/db\.json$/,
    becomes: `module.exports = {
      'application/json': { charset: 'UTF-8', extensions: ['json'] },
      'application/x-www-form-urlencoded': {},
      'text/html': { extensions: ['html'] },
      'text/plain': { extensions: ['txt'] },
    };`,
  },
];

const TRIMS: readonly Trim[] = [
  {
    // 21 %, 142 KB of each function. Lambda passes credentials in environment variables. It has no SSO, profiles,
    // credential processes or instance metadata.
    file: /@aws-sdk\/credential-provider-node\/dist-es\/index\.js$/,
    becomes: "export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';",
  },
  {
    // 4 %, 2 KB. Reads `~/.aws/config`, which Lambda does not have, and which would change the result on a laptop.
    file: /@smithy\/core\/dist-es\/submodules\/config\/shared-ini-file-loader\/loadSharedConfigFiles\.js$/,
    becomes: `export const CONFIG_PREFIX_SEPARATOR = '.';
      export const loadSharedConfigFiles = async () => ({ configFile: {}, credentialsFile: {} });`,
  },
  {
    // 3 %, 19 KB. No operation in use has event streams.
    file: /@smithy\/core\/dist-es\/submodules\/event-streams\/index\.js$/,
    becomes: 'module.exports = {};',
  },
  {
    // 4 %, 11 KB.
    // Endpoint rules for partitions, FIPS, dual stack, account and global endpoints. This is their result for one
    // region.
    file: /\/@aws-sdk\/client-dynamodb\/dist-es\/endpoint\/endpointResolver\.js$/,
    becomes: `export const defaultEndpointResolver = ({ Endpoint, Region }) => {
      const suffix = Region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
      return { url: new URL(Endpoint ?? 'https://dynamodb.' + Region + '.' + suffix), properties: {}, headers: {} };
    };`,
  },
  {
    // 4 to 8 %, 9 KB.
    // Endpoint discovery serves Timestream and is off for DynamoDB.
    file: /@aws-sdk\/middleware-endpoint-discovery\/dist-es\/index\.js$/,
    becomes: `export const resolveEndpointDiscoveryConfig = (config) => config;
      export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
        environmentVariableSelector() {}, configFileSelector() {}, default: undefined,
      };`,
  },
  {
    // 40 KB of getContext, which would exceed its 400 KB. shared/context/markdown generates whole pages. They contain
    // no reference names, setext headings or bare addresses.
    file: /(mdast-util-to-markdown\/lib\/util\/(association|format-(heading|link)-as-\w+)|(unist-util-visit|mdast-util-(phrasing|to-string))\/index)\.js$/,
    becomes: `const never = () => undefined;
      export { never as association, never as formatHeadingAsSetext, never as formatLinkAsAutolink, never as visit,
        never as EXIT, never as phrasing, never as toString };`,
  },
  {
    // 4 to 5 %. Otherwise zod compiles each schema at its first use. Later requests take the same time, but a suite of
    // 100,000 tests takes a fifth longer. Same as `z.config({ jitless: true })`, which must run before all schemas.
    file: /\/zod\/v4\/core\/core\.js$/,
    becomes: (source) =>
      replacedOnce(source, /globalConfig = globalThis\.__zod_globalConfig;/, 'globalConfig = { jitless: true };'),
  },
  {
    // Without this patch, parsing a suite of 100,000 tests takes 12 times the CPU and 4 times the memory: the replaced
    // reviver searches each value for prototype names. shared/engine/http/json-cost.ts refuses these names earlier.
    file: /@middy\/util\/index\.js$/,
    becomes: (source) =>
      replacedOnce(source, /JSON\.parse\(text, \(key, value\) => \{[\s\S]*?\n\t\}\)/, 'JSON.parse(text, reviver)'),
  },
  {
    // 155 KB of the MCP server. The schema validator is only needed to ask the client for input (elicitation).
    file: /@modelcontextprotocol\/server\/dist\/shimsNode\.mjs$/,
    becomes: `export { default as process } from 'node:process';
      export class DefaultJsonSchemaValidator {
        getValidator() { throw new Error('This MCP server does not ask its clients for input'); }
      }`,
  },
  ...TRIMS_OF_OAUTH,
  ...TRIMS_OF_PASSKEYS,
];

/** Replaces a part of a library. Throws if the installed version of the library does not contain the part. */
function replacedOnce(source: string, part: RegExp, becomes: string): string {
  if (!part.test(source))
    throw new Error(
      `A patched library no longer contains ${part}: adapt the patch in infra/build/trim.ts to the installed version`,
    );
  return source.replace(part, becomes);
}

/** Trims one build, or several builds that are checked together by `refuseIdle`. */
export function trimming(): { readonly plugin: Plugin; readonly refuseIdle: () => void } {
  const applied = new Set<Trim>();
  const plugin: Plugin = {
    name: 'trim',
    setup(build) {
      build.onLoad({ filter: /node_modules/ }, async ({ path }) => {
        const found = TRIMS.find(({ file }) => file.test(path.replaceAll('\\', '/')));
        if (!found) return undefined;
        applied.add(found);
        const { becomes } = found;
        const contents = typeof becomes === 'string' ? becomes : becomes(await readFile(path, 'utf8'));
        return { contents, loader: 'js', resolveDir: dirname(path) };
      });
    },
  };
  return { plugin, refuseIdle: () => refuseIdle(applied) };
}

/** Throws if a patched file does not exist. Otherwise its patch would silently do nothing. */
function refuseIdle(applied: ReadonlySet<Trim>): void {
  const idle = TRIMS.filter((one) => !applied.has(one)).map(({ file }) => file);
  if (idle.length > 0) throw new Error(`No file matches the patches ${idle.join(' and ')}. Adapt or remove them`);
}

/** Trims a partial build, which does not contain every patched library. */
export const trimPart = trimming().plugin;

// One file of a library, and its replacement in a bundle.

interface Trim {
  readonly file: RegExp;
  readonly becomes: string | ((source: string) => string);
}
