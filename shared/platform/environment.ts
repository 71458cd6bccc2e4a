/** Names of the variables that infra gives to every function; both sides import them from here. */
export const ENVIRONMENT = {
  tableName: 'TABLE_NAME',
  artifactsBucket: 'ARTIFACTS_BUCKET',
  publicOrigin: 'PUBLIC_ORIGIN',
  /** The issuer whose access tokens are accepted. Absent if none are. */
  oauthIssuer: 'OAUTH_ISSUER',
  /** §6 `network` or `machine`: webhooks may go to private addresses, to this machine, too, and over plain HTTP. */
  privateReceivers: 'PRIVATE_RECEIVERS',
  /** §6 Of functions that send there, and of no others. */
  eventBus: 'EVENT_BUS_NAME',
  deliveryQueue: 'DELIVERY_QUEUE_URL',
} as const;

/** §6 The `source` of every entry on the event bus; its `detail-type` is the event's name. */
export const EVENT_SOURCE = 'rundown';
