/** The list of secret formats. */

import { COMMAND_SECRETS } from './command-secrets.ts';
import { NAMED_SECRETS } from './named-secrets.ts';
import type { SecretShape } from './secret-shape.ts';
import { VENDOR_TOKENS } from './vendor-tokens.ts';

/**
 * Names of services whose secrets have no recognizable format. Such a secret is found by the name before it, as in
 * `AIRTABLE_KEY=...` or `"heroku": "..."`. The names follow the rules of gitleaks 8.30.1 (MIT).
 */
const SERVICES =
  'adafruit|adobe|airtable|algolia|alibaba|artifactory|asana|atlassian|beamer|bintray|bitbucket|bittrex|bundle_(?:enterprise|gems)__contribsys__com|cloudflare|codecov|cohere|coinbase|confluence|confluent|co_api_key|contentful|datadog|discord|droneci|dropbox|etsy|facebook|fastly|finicity|finnhub|flickr|freshbooks|gitter|gocardless|heroku|hubspot|intercom|jfrog|jira|kraken|kucoin|launchdarkly|linear|linked[_-]?in|(?<![a-z])lob|looker|mailchimp|mailgun|mapbox|mattermost|meraki|message[_-]?bird|netlify|new[_-]?relic|new-york-times|newyorktimes|nytimes|okta|plaid|private[_-]?ai|rapidapi|sendbird|sentry|snyk|sonar|squarespace|sumo|telegr|travis|twitch|twitter|typeform|xray|yandex|zendesk';
/** Words in the names of values that are not secrets, such as the id of a commit, a build or a run. */
const PUBLIC = '(?:branch|build|commit|digest|hash|release|revision|run|sha|span|trace|url|version)';
const ASSIGNS = String.raw`["'\x60\s]{0,3}(?:=>|:{1,3}=|[:=>,]|\|\||\?=)["'\x60\s=]{0,5}`;
/**
 * A long text that contains a digit, unlike words. Only values of limited length may contain equals signs. Otherwise,
 * in many `name=value` pairs, the search would continue from each name to the end of the text.
 */
const VALUE = String.raw`(?=[\w=%+/-]{0,90}?\d)(?:[\w=%-]{14,90}|[\w=+/-]{60,90}|[\w%-]{14,512}={0,2}|[\w+/-]{60,512}={0,2}|[0-9a-f]{8}:[0-9a-f]{8})`;
const END = String.raw`(?=$|[\s"'\x60,;&<)}\]]|\\[nrt"'])`;

const VENDOR_NAMES: readonly SecretShape[] = [
  {
    name: 'secret',
    // Every service name contains a word of at least three letters.
    marks: SERVICES.match(/[a-z]{3,}/g) ?? [],
    pattern: new RegExp(
      String.raw`(?<before>(?:${SERVICES})(?![ \t\w.-]{0,20}?${PUBLIC})[ \t\w.-]{0,20}${ASSIGNS})${VALUE}${END}`,
      'gi',
    ),
  },
];

const BEGINS = /(?<![0-9A-Za-z])/;

const tokens: readonly SecretShape[] = VENDOR_TOKENS.map(([name, marks, { source, flags }]) => ({
  name,
  marks: marks.split(' '),
  pattern: new RegExp(BEGINS.source + source, `g${flags}`),
}));

const PRIVATE_KEY =
  /-----BEGIN (?:[0-9A-Z]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[^-]{0,16384}(?:-(?!-)[^-]{0,16384}){0,32}-----END [0-9A-Z ]{1,64}-----|(?:\s{0,8}[0-9A-Za-z+/=\\]{16,16384}){1,512})/g;
/** A signed token has three parts, two of which are JSON objects. An encrypted token has five parts. */
const JWT =
  /(?<![\w-])(?:ey[\w-]{9,4096}\.ey[\w-]{9,16384}\.[\w-]{0,2048}|eyJ[\w-]{8,4096}\.[\w-]{0,2048}(?:\.[\w-]{8,16384}){3})/g;

/** Secrets that are recognized by the text before them. */
const PREFIXED_SECRETS: readonly SecretShape[] = [
  {
    name: 'AWS secret key',
    marks: ['access_key', 'accesskey'],
    pattern: /(?<before>secret_?access_?key\\?["'`]?\s{0,4}[:=]\s{0,4}\\?["'`]?)[0-9A-Za-z/+=]{40}(?![0-9A-Za-z/+=])/gi,
  },
  {
    name: 'Azure account key',
    marks: ['accountkey=', 'sharedaccesskey='],
    pattern: /(?<before>(?:Account|SharedAccess)Key=)[0-9A-Za-z+/]{40,128}={0,2}/g,
  },
  {
    name: 'credentials',
    marks: ['authorization'],
    pattern:
      /(?<before>authorization\\?["'`]?\s{0,4}[:=,]\s{0,4}\\?["'`]?(?:basic|bearer|digest|negotiate|token|apikey)\s{1,4})[^\s"'`,;<>\\]{4,8192}/gi,
  },
  // A value ends before the next `authorization=`. Otherwise, each occurrence would be searched to the end of the text.
  {
    name: 'credentials',
    marks: ['authorization'],
    pattern:
      /(?<before>authorization\\?["'`]?\s{0,4}[:=]\s{0,4}\\?["'`]?)(?:(?!authorization=)[\w.~+/=-]){20,8192}(?:(?=authorization=)|(?![(\w.~+/=-]))/gi,
  },
  {
    name: 'credentials',
    marks: ['authorization'],
    pattern:
      /(?<before>authorization\\?["'`]?\s{0,4}[:=]\s{0,4}\\?["'`]?)(?=[A-Za-z]{0,256}\d)(?:(?!authorization=)[\w.~+/=-]){8,8192}(?=authorization=|["'`\s\\]|$)/gi,
  },
  { name: 'credentials', marks: ['bearer'], pattern: /(?<before>(?<![\w-])bearer\s{1,4})[\w.~+/=-]{16,8192}/gi },
  { name: 'password', marks: ['://'], pattern: /(?<before>:\/\/[^\s/:@?#"'`<>]{0,256}:)[^\s/@?#"'`<>]{1,256}(?=@)/g },
  { name: 'credentials', marks: ['://'], pattern: /(?<before>:\/\/)(?=[A-Za-z%._~-]{0,256}\d)[\w.~%-]{20,256}(?=@)/g },
  { name: 'Facebook token', marks: ['|', '%7c'], pattern: /(?<=\d{15})(?<before>\||%7C)[\w-]{27,40}(?![\w-])/g },
  {
    name: 'webhook',
    marks: ['.webhook.office.com'],
    pattern: /(?<before>\.webhook\.office\.com\/webhookb2\/)[\w/@-]{20,512}/g,
  },
  {
    name: 'webhook',
    marks: ['hooks.slack.com'],
    pattern: /(?<before>hooks\.slack\.com\/[a-z]{1,20}\/)[\w/-]{20,256}/g,
  },
  { name: 'webhook', marks: ['discord'], pattern: /(?<before>discord(?:app)?\.com\/api\/webhooks\/)[\w/-]{20,256}/g },
  {
    name: 'cookie',
    marks: ['set-cookie'],
    pattern: /(?<before>set-cookie\\?["'`]?\s{0,4}[:=]\s{0,4}\\?["'`]?[^\s=:;"'`]{1,128}=)[^\s;"'`\\]{1,8192}/gi,
  },
  {
    name: 'cookie',
    marks: ['cookie'],
    pattern: /(?<before>(?<!set-)cookie\\?["'`]?\s{0,4}[:=]\s{0,4}\\?["'`]?)[^\s=:;"'`]{1,128}=[^\r\n"'`\\]{1,8192}/gi,
  },
];

/** Formats that are recognized without the text around them. */
export const TOKEN_SHAPES: readonly SecretShape[] = [
  { name: 'private key', marks: ['private key'], pattern: PRIVATE_KEY },
  { name: 'JWT', marks: ['.ey', 'eyj'], pattern: JWT },
  ...tokens,
];

/** All secret formats. Two overlapping matches get the name of the format listed first. */
export const SECRET_SHAPES: readonly SecretShape[] = [
  ...TOKEN_SHAPES,
  ...PREFIXED_SECRETS,
  ...COMMAND_SECRETS,
  ...NAMED_SECRETS,
  ...VENDOR_NAMES,
];
