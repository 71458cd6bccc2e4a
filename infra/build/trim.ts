/**
 * An esbuild plugin that replaces library code, mostly code that a Lambda function never runs. The comment on a patch
 * states its benefit. CPU time is measured in a cold start of the authorizer and the history page. An upgrade of a
 * library may break a patch, so a patch must save at least 2 % of the CPU time or state another good reason.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';

const DER_SIGNATURE = join(import.meta.dirname, '../../shared/engine/aws/der-signature.ts');

/** A sign-in without attestation does not need these parts of the passkey library, which take 280 KB of a bundle. */
const TRIMS_OF_PASSKEYS: readonly Trim[] = [
  {
    // Passkeys are registered without attestation. Browsers then send an attestation statement that is empty or
    // self-signed ("packed"). Neither says anything about the device.
    file: /@simplewebauthn\/server\/esm\/registration\/verifications\/(tpm\/)?verifyAttestation\w+\.js$/,
    becomes: `const unknown = async () => false, itself = async ({ attStmt }) => !attStmt.has('x5c');
      export { itself as verifyAttestationPacked, unknown as verifyAttestationFIDOU2F, unknown as verifyAttestationTPM,
        unknown as verifyAttestationAndroidSafetyNet, unknown as verifyAttestationAndroidKey,
        unknown as verifyAttestationApple };`,
  },
  {
    // Removes the certificates of device makers, and the check for post-quantum signatures in Node.
    file: /@simplewebauthn\/server\/esm\/services\/(settings|metadata)Service\.js$/,
    becomes: `export const SettingsService = { getRootCertificates: () => [], runtimeSupportsPQC: () => false };
      export const MetadataService = {}, BaseMetadataService = undefined;`,
  },
  {
    // Only attestation, which is not used, needs certificates.
    file: /@simplewebauthn\/server\/esm\/helpers\/convertX509PublicKeyToCOSE\.js$/,
    becomes: "export const convertX509PublicKeyToCOSE = () => { throw new Error('Certificates are not supported'); };",
  },
  {
    // This file re-exports all helpers of the library, but only one of them is used.
    file: /@simplewebauthn\/server\/esm\/helpers\/index\.js$/,
    becomes: (source) => /^export .*iso\/index\.js.*$/m.exec(source)?.[0] ?? '',
  },
  {
    // The original function uses a full ASN.1 parser to read a DER signature.
    file: /@simplewebauthn\/server\/esm\/helpers\/iso\/isoCrypto\/unwrapEC2Signature\.js$/,
    becomes: `export { plainSignature as unwrapEC2Signature } from ${JSON.stringify(DER_SIGNATURE)};`,
  },
];

const TRIMS_OF_OAUTH: readonly Trim[] = [
  {
    // Keeps the class names of models, because the library stores these names and minifying would change them.
    file: /oidc-provider\/lib\/models\/(?!index|payload|token_helpers)\w+\.js$/,
    becomes: (source) =>
      source.replace(/\bclass (\w+)( extends [\w.()]+)? \{/g, "$& static get name() { return '$1'; }"),
  },
  {
    // Without this patch, bundles would contain three versions of the database of media types, 400 KB in total. The
    // authorization server reads and writes only the media types that the replacement contains.
    file: /\/mime-db\/db\.json$/,
    becomes: `module.exports = {
      'application/json': { charset: 'UTF-8', extensions: ['json'] },
      'application/x-www-form-urlencoded': {},
      'text/html': { extensions: ['html'] },
      'text/plain': { extensions: ['txt'] },
    };`,
  },
];

/** Each function calls DynamoDB, so these save 25 KB in each function, which is a tenth of the authorizer. */
const TRIMS_OF_EACH_CLIENT: readonly Trim[] = [
  {
    // The names of the regions. The rules for endpoints only need the patterns of the partitions.
    file: /@aws-sdk\/core\/dist-es\/submodules\/client\/util-endpoints\/lib\/aws\/partitions\.js$/,
    becomes: withoutRegions,
  },
  {
    // The client needs its version only.
    file: /@aws-sdk\/client-\w+\/package\.json$/,
    becomes: (source) => {
      const { name, version } = JSON.parse(source);
      return `export default ${JSON.stringify({ name, version })};`;
    },
  },
  {
    // The digest without native code.
    file: /@smithy\/core\/dist-es\/submodules\/checksum\/sha256\/Sha256Js\.js$/,
    becomes: 'export const Sha256Js = undefined;',
  },
  {
    // Lambda says in the environment which region it is in.
    file: /@smithy\/core\/dist-es\/submodules\/config\/config-resolver\/regionConfig\/getInstanceMetadataRegion\.js$/,
    becomes: 'export const getInstanceMetadataRegion = async () => undefined;',
  },
  {
    // Times as JavaScript reads them. The original functions spell out the three formats.
    file: /@smithy\/core\/dist-es\/submodules\/serde\/date-utils\.js$/,
    becomes: `const parse = (value) => (value == null ? undefined : new Date(value));
      export { parse as parseRfc3339DateTime, parse as parseRfc3339DateTimeWithOffset, parse as parseRfc7231DateTime };
      export const parseEpochTimestamp = (value) => (value == null ? undefined : new Date(Math.round(value * 1000)));
      export const dateToUtcString = (date) => date.toUTCString();`,
  },
  {
    // Only signatures of event streams need it.
    file: /@smithy\/signature-v4\/dist-es\/HeaderFormatter\.js$/,
    becomes: 'export class HeaderFormatter {}',
  },
  {
    // No client has a logger.
    file: /@aws-sdk\/core\/dist-es\/submodules\/client\/middleware-logger\/loggerMiddleware\.js$/,
    becomes: `export const loggerMiddleware = undefined, loggerMiddlewareOptions = undefined;
      export const getLoggerPlugin = () => ({ applyToStack() {} });`,
  },
  {
    // No client retries in adaptive mode.
    file: /@smithy\/core\/dist-es\/submodules\/retry\/util-retry\/AdaptiveRetryStrategy\.js$/,
    becomes: "export { StandardRetryStrategy as AdaptiveRetryStrategy } from './StandardRetryStrategy';",
  },
  {
    // 25 of the 35 errors of DynamoDB are equal but for their names.
    file: /@aws-sdk\/client-dynamodb\/dist-es\/models\/errors\.js$/,
    becomes: shortenErrors,
  },
];

/** The file contains one JSON object. */
function withoutRegions(source: string): string {
  const info = JSON.parse(source.slice(source.indexOf('{'), source.lastIndexOf('}') + 1));
  const partitions = info.partitions.map((partition: object) => ({ ...partition, regions: {} }));
  return `export const partitionsInfo = ${JSON.stringify({ ...info, partitions })};`;
}

const CLASS = 'export class ';

/** Replaces the classes of errors that have no members of their own. */
function shortenErrors(source: string): string {
  const [head = '', ...classes] = source.split(CLASS);
  let count = 0;
  const shortClasses = classes.map((text) => {
    const [name = ''] = text.split(' ', 1);
    const [, shapeId, , , , fault] = text.split('"');
    const simple = `${name} extends __BaseException { static shapeId = "${shapeId}"; name = "${name}"; $fault = "${fault}"; constructor(opts) { super({ name: "${name}", $fault: "${fault}", ...opts, }); Object.setPrototypeOf(this, ${name}.prototype); } }`;
    if (text.split(/\s+/).join(' ').trim() !== simple) return CLASS + text;
    count += 1;
    return `export const ${name} = makeError('${shapeId}', '${name}', '${fault}');\n`;
  });
  if (count === 0)
    throw new Error('The errors of DynamoDB are written in another way: adapt shortenErrors in infra/build/trim.ts');
  return `${head}${shortClasses.join('')}
    function makeError(shapeId, name, $fault) {
      return class extends __BaseException {
        static shapeId = shapeId;
        constructor(opts) { super({ name, $fault, ...opts }); }
      };
    }`;
}

const TRIMS: readonly Trim[] = [
  {
    // Saves 21 % of CPU time, and 142 KB in each function. Lambda passes credentials in environment variables. It has
    // no SSO, profiles, credential processes or instance metadata.
    file: /@aws-sdk\/credential-provider-node\/dist-es\/index\.js$/,
    becomes: "export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';",
  },
  {
    // Saves 4 % of CPU time and 2 KB. The original function reads `~/.aws/config`. Lambda has no such file, and on a
    // laptop, the file would change what the functions do.
    file: /@smithy\/core\/dist-es\/submodules\/config\/shared-ini-file-loader\/loadSharedConfigFiles\.js$/,
    becomes: `export const CONFIG_PREFIX_SEPARATOR = '.';
      export const loadSharedConfigFiles = async () => ({ configFile: {}, credentialsFile: {} });`,
  },
  ...TRIMS_OF_EACH_CLIENT,
  {
    // Saves 3 % of CPU time and 19 KB. No AWS operation that functions call uses event streams.
    file: /@smithy\/core\/dist-es\/submodules\/event-streams\/index\.js$/,
    becomes: 'module.exports = {};',
  },
  {
    // Saves 4 % of CPU time and 11 KB. The original function evaluates rules for partitions, FIPS, dual stack, account
    // and global endpoints. The replacement returns the result of these rules for one region.
    file: /\/@aws-sdk\/client-dynamodb\/dist-es\/endpoint\/endpointResolver\.js$/,
    becomes: `export const defaultEndpointResolver = ({ Endpoint, Region }) => {
      const suffix = Region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
      return { url: new URL(Endpoint ?? 'https://dynamodb.' + Region + '.' + suffix), properties: {}, headers: {} };
    };`,
  },
  {
    // Saves 4 to 8 % of CPU time and 9 KB. Endpoint discovery is for Timestream, and is off for DynamoDB.
    file: /@aws-sdk\/middleware-endpoint-discovery\/dist-es\/index\.js$/,
    becomes: `export const resolveEndpointDiscoveryConfig = (config) => config;
      export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
        environmentVariableSelector() {}, configFileSelector() {}, default: undefined,
      };`,
  },
  {
    // Saves 40 KB in the function getContext. The replaced code handles link references, setext headings and autolinks,
    // none of which appear in the Markdown that shared/context/markdown writes.
    file: /(mdast-util-to-markdown\/lib\/util\/(association|format-(heading|link)-as-\w+)|(unist-util-visit|mdast-util-(phrasing|to-string))\/index)\.js$/,
    becomes: `const never = () => undefined;
      export { never as association, never as formatHeadingAsSetext, never as formatLinkAsAutolink, never as visit,
        never as EXIT, never as phrasing, never as toString };`,
  },
  {
    // Saves 4 to 5 % of CPU time, because zod then does not compile each schema at its first use. Most later requests
    // take the same time as before, but a request with a suite of 100,000 tests takes a fifth longer. The patch turns
    // on the zod setting `jitless`, which must be on before the first schema is created.
    file: /\/zod\/v4\/core\/core\.js$/,
    becomes: (source) =>
      replacePart(source, /globalConfig = globalThis\.__zod_globalConfig;/, 'globalConfig = { jitless: true };'),
  },
  {
    // Without this patch, parsing a suite of 100,000 tests takes 12 times the CPU and 4 times the memory: the replaced
    // reviver searches each value for names that enable prototype pollution. shared/engine/http/json-cost.ts refuses
    // these names earlier.
    file: /@middy\/util\/index\.js$/,
    becomes: (source) =>
      replacePart(source, /JSON\.parse\(text, \(key, value\) => \{[\s\S]*?\n\t\}\)/, 'JSON.parse(text, reviver)'),
  },
  {
    // Saves 155 KB in the MCP server. The schema validator is only needed to ask the client for input (elicitation).
    file: /@modelcontextprotocol\/server\/dist\/shimsNode\.mjs$/,
    becomes: `export { default as process } from 'node:process';
      export class DefaultJsonSchemaValidator {
        getValidator() { throw new Error('This MCP server does not ask its clients for input'); }
      }`,
  },
  ...TRIMS_OF_OAUTH,
  ...TRIMS_OF_PASSKEYS,
];

function replacePart(source: string, part: RegExp, becomes: string): string {
  if (!part.test(source))
    throw new Error(
      `A patched library no longer contains ${part}: adapt the patch in infra/build/trim.ts to the installed version`,
    );
  return source.replace(part, becomes);
}

/** Several builds may share the plugin: `refuseIdle` then checks that at least one of them applied each patch. */
export function makeTrimPlugin(): { readonly plugin: Plugin; readonly refuseIdle: () => void } {
  const appliedTrims = new Set<Trim>();
  const plugin: Plugin = {
    name: 'trim',
    setup(build) {
      build.onLoad({ filter: /node_modules/ }, async ({ path }) => {
        const trim = TRIMS.find(({ file }) => file.test(path.replaceAll('\\', '/')));
        if (!trim) return undefined;
        appliedTrims.add(trim);
        const { becomes } = trim;
        const contents = typeof becomes === 'string' ? becomes : becomes(await readFile(path, 'utf8'));
        return { contents, loader: 'js', resolveDir: dirname(path) };
      });
    },
  };
  /** Throws if a patch matched no file of the builds, because it would silently do nothing. */
  const refuseIdle = () => {
    const idle = TRIMS.filter((one) => !appliedTrims.has(one)).map(({ file }) => file);
    if (idle.length > 0)
      throw new Error(
        `No bundled file matches ${idle.join(' or ')}: adapt or remove these patches in infra/build/trim.ts`,
      );
  };
  return { plugin, refuseIdle };
}

/** The plugin for a partial build, which does not contain every patched library. */
export const trimPart = makeTrimPlugin().plugin;

interface Trim {
  readonly file: RegExp;
  readonly becomes: string | ((source: string) => string);
}
