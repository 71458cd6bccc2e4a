import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { DataAccess } from './data-access.ts';
import type { Outlets } from './outlets.ts';

/** Stores and queues for functions, with their IAM policies. */
export interface DataResources {
  readonly table: ITable;
  readonly artifacts: IBucket;
  readonly access: DataAccess;
  readonly outlets: Outlets;
}
