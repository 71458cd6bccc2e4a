/** The single table: of the stack, or a restored one that was imported into the stack under its own name. */
import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  StreamViewType,
  Table,
  TableClass,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { Environment } from '#infra/build/environments.ts';
import { TABLE } from '#shared/engine/table/schema.ts';
import { acknowledge } from './acknowledge.ts';
import { findCustomerKey } from './customer-key.ts';

interface TableSettings {
  readonly tableClass: 'standard' | 'standard-infrequent-access';
  readonly kmsKey?: string | undefined;
}

export function addTable(
  scope: Construct,
  id: string,
  { keepsData, pointInTimeRecovery, tableMaximum }: Environment,
  { tableClass, kmsKey }: TableSettings,
  tableName?: string,
): Table {
  const encryptionKey = findCustomerKey(scope, 'Table', kmsKey);
  const text = (name: string) => ({ name, type: AttributeType.STRING });
  const table = new Table(scope, id, {
    ...(tableName === undefined ? {} : { tableName }),
    partitionKey: text(TABLE.partitionKey),
    sortKey: text(TABLE.sortKey),
    timeToLiveAttribute: TABLE.expiresAt,
    billingMode: BillingMode.PAY_PER_REQUEST,
    ...(tableClass === 'standard' ? {} : { tableClass: TableClass.STANDARD_INFREQUENT_ACCESS }),
    ...(encryptionKey ? { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey } : {}),
    maxReadRequestUnits: tableMaximum.readUnits,
    maxWriteRequestUnits: tableMaximum.writeUnits,
    stream: StreamViewType.NEW_AND_OLD_IMAGES,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: pointInTimeRecovery },
    deletionProtection: keepsData,
    // RETAIN_ON_UPDATE_OR_DELETE would delete the protected table at the rollback of a first deployment, and fail.
    removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
  if (!pointInTimeRecovery) {
    const reason = 'Only dev has no recovery: its results may be lost, and are deleted with the stack.';
    acknowledge(table, 'AwsSolutions-DDB3', reason);
  }
  return table;
}
