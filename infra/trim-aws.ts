/** What functions never run of the AWS SDK, which they use for a table, a queue and an event bus of one region. */
import type { Trim } from './trim.ts';

const NOTHING = 'module.exports = {};';

const endpointOf = (client: string, host: string): Trim => ({
  file: new RegExp(`/@aws-sdk/client-${client}/dist-es/endpoint/endpointResolver\\.js$`),
  becomes: `export const defaultEndpointResolver = ({ Endpoint, Region }) => {
      const suffix = Region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
      return { url: new URL(Endpoint ?? 'https://${host}.' + Region + '.' + suffix), properties: {}, headers: {} };
    };`,
});

/** Those whose members the table reads; the rest, throttling among them, are told apart by name. */
const WITH_MEMBERS = /^(ConditionalCheckFailed|TransactionCanceled)Exception$/;
const keepWithMembers = (declared: string, name: string): string => (WITH_MEMBERS.test(name) ? declared : '');

export const AWS_TRIMS: readonly Trim[] = [
  {
    // Lambda hands credentials over in variables; SSO, profiles, processes and instance metadata do not exist there.
    file: /@aws-sdk\/credential-provider-node\/dist-es\/index\.js$/,
    becomes: "export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';",
  },
  {
    // No shared configuration file exists there either, and reading one would make a laptop differ from Lambda.
    file: /@smithy\/core\/dist-es\/submodules\/config\/shared-ini-file-loader\/loadSharedConfigFiles\.js$/,
    becomes: `export const CONFIG_PREFIX_SEPARATOR = '.';
      export const loadSharedConfigFiles = async () => ({ configFile: {}, credentialsFile: {} });`,
  },
  {
    // The region comes from AWS_REGION; asking 169.254.169.254 for it would leave the machine.
    file: /@smithy\/core\/dist-es\/submodules\/config\/config-resolver\/regionConfig\/getInstanceMetadataRegion\.js$/,
    becomes: 'export const getInstanceMetadataRegion = async () => undefined;',
  },
  {
    // Endpoint discovery serves Timestream and is off for DynamoDB.
    file: /@aws-sdk\/middleware-endpoint-discovery\/dist-es\/index\.js$/,
    becomes: `export const resolveEndpointDiscoveryConfig = (config) => config;
      export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
        environmentVariableSelector() {}, configFileSelector() {}, default: undefined,
      };`,
  },
  {
    // Copies the trace header of the invocation to other calls, so that Lambda can end loops through queues. The one loop
    // there is, of deliveries, ends with the schedule of retries.
    file: /middleware-recursion-detection\/recursionDetectionMiddleware\.js$/,
    becomes: 'export const recursionDetectionMiddleware = () => (next) => next;',
  },
  // The rules for partitions, FIPS, dual stack, account and global endpoints; what they say for one region is this.
  endpointOf('dynamodb', 'dynamodb'),
  endpointOf('eventbridge', 'events'),
  endpointOf('sqs', 'sqs'),
  {
    // The list of partitions behind those rules.
    file: /@aws-sdk\/core\/dist-es\/submodules\/client\/util-endpoints\/lib\/aws\/partitions\.js$/,
    becomes: "export const partitionsInfo = { partitions: [], version: '' };",
  },
  {
    // Counts the features of the SDK in use, for AWS, on every call.
    file: /@aws-sdk\/core\/dist-es\/submodules\/client\/middleware-user-agent\/user-agent-middleware\.js$/,
    becomes: `export const userAgentMiddleware = () => (next) => next;
      export const getUserAgentMiddlewareOptions = {};
      export const getUserAgentPlugin = () => ({ applyToStack() {} });`,
  },
  {
    // Client-side rate limiting, for AWS_RETRY_MODE=adaptive; the standard strategy answers to that name too.
    file: /@smithy\/core\/dist-es\/submodules\/retry\/util-retry\/AdaptiveRetryStrategy\.js$/,
    becomes: `import { StandardRetryStrategy } from './StandardRetryStrategy';
      export class AdaptiveRetryStrategy extends StandardRetryStrategy {}`,
  },
  {
    // No answer of an operation in use holds a timestamp. One that does fails loudly.
    file: /@smithy\/core\/dist-es\/submodules\/serde\/date-utils\.js$/,
    becomes: `const trimmed = () => { throw new Error('Timestamps of the AWS SDK are trimmed: see infra/trim.ts'); };
      export { trimmed as dateToUtcString, trimmed as parseRfc3339DateTime, trimmed as parseRfc3339DateTimeWithOffset,
        trimmed as parseRfc7231DateTime, trimmed as parseEpochTimestamp };`,
  },
  {
    // Signatures for several regions at once, which only global endpoints ask for.
    file: /@aws-sdk\/signature-v4-multi-region\/dist-es\/index\.js$/,
    becomes: "export { SignatureV4 as SignatureV4MultiRegion } from '@smithy/signature-v4';",
  },
  {
    // A class for each of 34 errors. The common one takes their name, and the retries go by that.
    file: /@aws-sdk\/client-dynamodb\/dist-es\/schemas\/schemas_0\.js$/,
    becomes: (source) =>
      source.replaceAll(/^export var (\w+)\$ = [^;]*;\nn0_registry\.registerError\(\1\$, \1\);$/gm, keepWithMembers),
  },
  {
    // Writes JSON by the schema of each operation. What is sent is JSON already, but for bytes and times; the token
    // that makes a transaction's retry one and the same is the table's own.
    file: /@smithy\/core\/dist-es\/submodules\/protocols\/json\/codec-v2\/JsonShapeSerializer2\.js$/,
    becomes: `import { SerdeContextConfig } from '../../ConfigurableSerdeContext';
      function asJson(key, value) {
        const original = this[key];
        if (original instanceof Date) return original.getTime() / 1000;
        return original instanceof Uint8Array ? Buffer.from(original).toString('base64') : value;
      }
      export class JsonShapeSerializer2 extends SerdeContextConfig {
        constructor(settings) { super(); this.settings = settings; }
        write(_schema, value) { this.value = value; }
        flush() { return JSON.stringify(this.value, asJson); }
      }`,
  },
  {
    // Members of a request that go to its path, headers or host: these three services take them all in the body.
    file: /@smithy\/core\/dist-es\/submodules\/protocols\/HttpBindingNormalizedSchema\.js$/,
    becomes: `export const getHttpOperationBindings = () => [];
      export class HttpBindingNormalizedSchema {}`,
  },
  {
    // The SDK is given no logger: the product's own lines say what a request cost.
    file: /@aws-sdk\/core\/dist-es\/submodules\/client\/middleware-logger\/loggerMiddleware\.js$/,
    becomes: `export const loggerMiddleware = () => (next) => next;
      export const loggerMiddlewareOptions = {};
      export const getLoggerPlugin = () => ({ applyToStack() {} });`,
  },
  {
    file: /@smithy\/core\/dist-es\/submodules\/client\/smithy-client\/schemaLogFilter\.js$/,
    becomes: 'export const schemaLogFilter = () => undefined;',
  },
  {
    // Defaults by the distance to the region, which is looked up where the function does not run.
    file: /@smithy\/core\/dist-es\/submodules\/config\/defaults-mode\/resolveDefaultsModeConfig\.js$/,
    becomes: "export const resolveDefaultsModeConfig = () => async () => 'legacy';",
  },
  {
    // The runtime is the template's.
    file: /@aws-sdk\/core\/dist-es\/submodules\/client\/emitWarningIfUnsupportedVersion\.js$/,
    becomes: 'export const state = {}; export const emitWarningIfUnsupportedVersion = () => {};',
  },
  {
    // What the SDK tells AWS of the machine it runs on.
    file: /@aws-sdk\/core\/dist-es\/submodules\/client\/util-user-agent-node\/defaultUserAgent\.js$/,
    becomes: `export const createDefaultUserAgentProvider = () => async () => [];
      export const defaultUserAgent = createDefaultUserAgentProvider;
      export const crtAvailability = {};`,
  },
  // Where S3 is addressed by other rules.
  {
    file: /@smithy\/core\/dist-es\/submodules\/endpoints\/middleware-endpoint\/service-customizations\/index\.js$/,
    becomes: 'export const resolveParamsForS3 = async () => {};',
  },
  // Streams of events: no operation in use has one.
  { file: /@smithy\/core\/dist-es\/submodules\/event-streams\/index\.js$/, becomes: NOTHING },
  { file: /@smithy\/signature-v4\/dist-es\/HeaderFormatter\.js$/, becomes: 'export class HeaderFormatter {}' },
  // SHA-256 in JavaScript, for a Node built without OpenSSL.
  { file: /@smithy\/core\/dist-es\/submodules\/checksum\/sha256\/Sha256Js\.js$/, becomes: 'export class Sha256Js {}' },
  // The client imports its whole package.json to send one version.
  { file: /@aws-sdk\/client-[a-z]+\/package\.json$/, becomes: "export default { version: '3' };" },
];
