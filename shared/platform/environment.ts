/** Names of the functions' environment variables, for infra and for functions. */
export const ENVIRONMENT = {
  tableName: 'TABLE_NAME',
  artifactsBucket: 'ARTIFACTS_BUCKET',
  publicOrigin: 'PUBLIC_ORIGIN',
  /** The issuer whose access tokens are accepted. Absent if none are. */
  oauthIssuer: 'OAUTH_ISSUER',
  /** §6 `network` allows webhooks to private addresses over plain HTTP, `machine` also to this machine. */
  privateReceivers: 'PRIVATE_RECEIVERS',
  /** JSON of the retention of projects that set none. */
  retention: 'DEFAULT_RETENTION',
  /** §6 The name of the event bus, only for functions that send to it. */
  eventBus: 'EVENT_BUS_NAME',
  deliveryQueue: 'DELIVERY_QUEUE_URL',
} as const;

/** §6 The `source` of every event on the bus. The `detail-type` is the event's name. */
export const EVENT_SOURCE = 'rundown';
