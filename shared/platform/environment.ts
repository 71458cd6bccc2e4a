/** The names of the environment variables of the Lambda functions. The infrastructure code uses them too. */
export const ENVIRONMENT = {
  tableName: 'TABLE_NAME',
  artifactsBucket: 'ARTIFACTS_BUCKET',
  publicOrigin: 'PUBLIC_ORIGIN',
  /** The external issuer of access tokens. Absent if this service issues access tokens itself. */
  oauthIssuer: 'OAUTH_ISSUER',
  /** §6 `network`: receivers may be at private addresses and use plain HTTP. `machine`: also on this machine. */
  privateReceivers: 'PRIVATE_RECEIVERS',
  /** §5.3 `true`: client metadata may be on this machine. Set only by `npm start -- --local-clients`. */
  localClients: 'LOCAL_CLIENTS',
  /** The retention of projects that do not set one, in the format of `formatRetention`. */
  retention: 'DEFAULT_RETENTION',
  /** The limits of organizations for which the operator sets none, in the format of `formatUsageLimits`. */
  limits: 'DEFAULT_LIMITS',
  /** The maximum number of concurrent calls of a function that a queue invokes. Set only for these functions. */
  callsInTotal: 'CALLS_IN_TOTAL',
  /** §6 The name of the event bus. Set only for functions that send events. */
  eventBus: 'EVENT_BUS_NAME',
  deliveryQueue: 'DELIVERY_QUEUE_URL',
  notificationQueue: 'NOTIFICATION_QUEUE_URL',
  fileQueue: 'FILE_QUEUE_URL',
  reportQueue: 'REPORT_QUEUE_URL',
  /** For notification credentials in Parameter Store. Set only for functions that use them. */
  secretsPrefix: 'SECRETS_PREFIX',
  /**
   * §5.2 The path prefix of the credentials of issue trackers in Parameter Store, and the network of private trackers
   * in CIDR notation. Set only for functions that use these credentials.
   */
  trackersPrefix: 'TRACKERS_PREFIX',
  /** The path prefix of the client secrets of companies' identity providers in Parameter Store. */
  providersPrefix: 'PROVIDERS_PREFIX',
  /** In the format of `formatDeploymentProviders`. Absent if the deployment has no providers of its own. */
  signInProviders: 'SIGN_IN_PROVIDERS',
  /** The path prefix of the client secrets of these providers in Parameter Store. */
  signInPrefix: 'SIGN_IN_PREFIX',
  /** The address of a DNS server for TXT records. Absent on AWS, where the servers of the function are asked. */
  dnsServer: 'DNS_SERVER',
  trackerNetwork: 'TRACKER_NETWORK',
  /**
   * The key of KMS that encrypts credentials in Parameter Store. Set only for functions that store credentials, and if
   * the deployment has such a key.
   */
  secretsKey: 'SECRETS_KEY',
  /** `true`: each day is exported as Parquet. Set only for the function that writes exports. */
  dailyExports: 'DAILY_EXPORTS',
  /** §5.3 Comma-separated ARNs. Set only for the function that signs access tokens. */
  signingKeys: 'SIGNING_KEYS',
} as const;

/** §6 The `source` of every event on the bus. The `detail-type` is the name of the event. */
export const EVENT_SOURCE = 'rundown';
