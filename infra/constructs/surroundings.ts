/** What all functions share: data, bundles, and the settings of the deployment. */
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Bundles } from '#infra/build/bundles.ts';
import type { DeploymentProvider } from '#shared/model/sign-in/deployment-provider.ts';
import type { AlarmTarget } from './alarm.ts';
import type { DataAccess } from './data-access.ts';
import type { Outlets } from './outlets.ts';
import type { PrivateNetwork } from './private-network.ts';

export interface DataResources {
  readonly table: ITable;
  readonly artifacts: IBucket;
  readonly access: DataAccess;
  readonly outlets: Outlets;
}

export interface Surroundings extends AlarmTarget {
  readonly data: DataResources;
  readonly bundles: Bundles;
  readonly publicOrigin: string;
  readonly settings: FunctionSettings;
}

export interface FunctionSettings {
  /** §5.3 An external issuer of access tokens. If it is undefined, this service issues access tokens itself. */
  readonly oauthIssuer?: string | undefined;
  /** The providers at which people sign in to their own accounts. */
  readonly signInProviders: readonly DeploymentProvider[];
  /** §6 Whether webhooks may use private addresses and plain HTTP. */
  readonly privateWebhooks: boolean;
  /** Whether AWS X-Ray traces a part of the requests. */
  readonly tracing: boolean;
  /** Whether each day of each project is exported to the artifacts bucket as Parquet. */
  readonly dailyExports: boolean;
  /**
   * §6 The VPC of the functions that send webhooks and notifications, and, if `trackerNetwork` is set, of those that
   * call issue trackers. If it is undefined, these functions run outside the VPCs of the account.
   */
  readonly network: PrivateNetwork | undefined;
  /** §5.2 In CIDR notation, and only with `network`. Webhooks may reach it only if `privateWebhooks` is set. */
  readonly trackerNetwork?: string | undefined;
  /** The ARN of the operator's key that encrypts what the service stores. Default: keys of AWS. */
  readonly kmsKey?: string | undefined;
  /** The concurrency that is reserved for the authorizer. */
  readonly reservedConcurrency?: number | undefined;
  /** The number of environments that the authorizer and each warm function keep ready. */
  readonly provisionedConcurrency?: number | undefined;
}
