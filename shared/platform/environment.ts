/** Names of the functions' environment variables, for infra and for functions. */
export const ENVIRONMENT = {
  tableName: 'TABLE_NAME',
  artifactsBucket: 'ARTIFACTS_BUCKET',
  publicOrigin: 'PUBLIC_ORIGIN',
  /** The external issuer whose access tokens are accepted. Absent if this service issues them itself. */
  oauthIssuer: 'OAUTH_ISSUER',
  /** §6 `network` allows webhooks to private addresses over plain HTTP, `machine` also to this machine. */
  privateReceivers: 'PRIVATE_RECEIVERS',
  /** §5.3 `true`: metadata documents of clients may be on this machine. Only `npm start` sets it, and only on demand. */
  localClients: 'LOCAL_CLIENTS',
  /** The retention of projects that set none, as `retentionText` writes it. */
  retention: 'DEFAULT_RETENTION',
  /** §6 The name of the event bus, only for functions that send to it. */
  eventBus: 'EVENT_BUS_NAME',
  deliveryQueue: 'DELIVERY_QUEUE_URL',
  notificationQueue: 'NOTIFICATION_QUEUE_URL',
  fileQueue: 'FILE_QUEUE_URL',
  reportQueue: 'REPORT_QUEUE_URL',
  /** The path in Parameter Store below which the credentials of notifications are. Only for functions that use them. */
  secretsPrefix: 'SECRETS_PREFIX',
  /** §5.3 The keys that sign access tokens: their ARNs, with commas between them. Only for the function that signs. */
  signingKeys: 'SIGNING_KEYS',
} as const;

/** §6 The `source` of every event on the bus. The `detail-type` is the event's name. */
export const EVENT_SOURCE = 'rundown';
