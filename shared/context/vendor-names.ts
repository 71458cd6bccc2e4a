/**
 * Secrets without a recognizable format. They are found by the preceding name of the service, as in `AIRTABLE_KEY=...` or
 * `"heroku": "..."`. The names follow the rules of gitleaks 8.30.1 (MIT).
 */
import type { SecretShape } from './secret-shape.ts';

const SERVICES =
  'adafruit|adobe|airtable|algolia|alibaba|artifactory|asana|atlassian|beamer|bintray|bitbucket|bittrex|bundle_(?:enterprise|gems)__contribsys__com|cloudflare|codecov|cohere|coinbase|confluence|confluent|co_api_key|contentful|datadog|discord|droneci|dropbox|etsy|facebook|fastly|finicity|finnhub|flickr|freshbooks|gitter|gocardless|heroku|hubspot|intercom|jfrog|jira|kraken|kucoin|launchdarkly|linear|linked[_-]?in|(?<![a-z])lob|looker|mailchimp|mailgun|mapbox|mattermost|meraki|message[_-]?bird|netlify|new[_-]?relic|new-york-times|newyorktimes|nytimes|okta|plaid|private[_-]?ai|rapidapi|sendbird|sentry|snyk|sonar|squarespace|sumo|telegr|travis|twitch|twitter|typeform|xray|yandex|zendesk';
/** Names of numbers that identify code rather than people. */
const PUBLIC = '(?:branch|build|commit|digest|hash|release|revision|run|sha|span|trace|url|version)';
const ASSIGNS = String.raw`["'\x60\s]{0,3}(?:=>|:{1,3}=|[:=>,]|\|\||\?=)["'\x60\s=]{0,5}`;
/**
 * Long values with digits. Words and sentences have none. Only short values contain equals signs: the repeated
 * `name=value` would otherwise be read again from each name.
 */
const VALUE = String.raw`(?=[\w=%+/-]{0,90}?\d)(?:[\w=%-]{14,90}|[\w=+/-]{60,90}|[\w%-]{14,512}={0,2}|[\w+/-]{60,512}={0,2}|[0-9a-f]{8}:[0-9a-f]{8})`;
const END = String.raw`(?=$|[\s"'\x60,;&<)}\]]|\\[nrt"'])`;

export const VENDOR_NAMES: readonly SecretShape[] = [
  {
    name: 'secret',
    // Each service has a word of at least three letters.
    marks: SERVICES.match(/[a-z]{3,}/g) ?? [],
    pattern: new RegExp(
      String.raw`(?<before>(?:${SERVICES})(?![ \t\w.-]{0,20}?${PUBLIC})[ \t\w.-]{0,20}${ASSIGNS})${VALUE}${END}`,
      'gi',
    ),
  },
];
