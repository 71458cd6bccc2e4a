import { Stack } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { type IManagedPolicy, ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type Bucket, CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { Access } from '#shared/declaration.ts';
import { acknowledge } from './acknowledge.ts';

const READ_TABLE = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'];
/** A transaction needs the actions of its parts, and `ConditionCheckItem` for the parts that only check. */
const WRITE_TABLE = [
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
  'dynamodb:BatchWriteItem',
  'dynamodb:ConditionCheckItem',
];

/** What a function can be allowed to do to the data: one policy for each word that a declaration may say. */
export class DataAccess extends Construct {
  private readonly table: Readonly<Record<Access['table'], IManagedPolicy[]>>;
  private readonly artifacts: Readonly<Record<Access['artifacts'], IManagedPolicy[]>>;

  constructor(scope: Construct, id: string, table: Table, artifacts: Bucket) {
    super(scope, id);
    const tables = [table.tableArn];
    const objects = [artifacts.arnForObjects('*')];
    this.table = {
      none: [],
      read: [this.addPolicy('ReadTable', READ_TABLE, tables)],
      readUpdate: [this.addPolicy('ReadUpdateTable', [...READ_TABLE, 'dynamodb:UpdateItem'], tables)],
      readWrite: [this.addPolicy('ReadWriteTable', [...READ_TABLE, ...WRITE_TABLE], tables)],
    };
    const readArtifacts = this.addPolicy('ReadArtifacts', ['s3:GetObject'], objects);
    const writeArtifacts = this.addPolicy('WriteArtifacts', ['s3:PutObject'], objects);
    this.artifacts = {
      none: [],
      read: [readArtifacts],
      write: [writeArtifacts],
      readWrite: [readArtifacts, writeArtifacts],
      delete: [this.addPolicy('DeleteArtifacts', ['s3:DeleteObject'], objects)],
    };
    acknowledge(
      this,
      `AwsSolutions-IAM5[Resource::<${Stack.of(this).getLogicalId(resourceOf(artifacts))}.Arn>/*]`,
      'One action on the objects of one bucket, whose keys are made at run time.',
    );
  }

  policiesFor(access: Access): IManagedPolicy[] {
    return [...this.table[access.table], ...this.artifacts[access.artifacts]];
  }

  private addPolicy(id: string, actions: string[], resources: string[]): ManagedPolicy {
    return new ManagedPolicy(this, id, { statements: [new PolicyStatement({ actions, resources })] });
  }
}

/** The bucket as CloudFormation knows it. */
export function resourceOf({ node }: Bucket): CfnBucket {
  if (node.defaultChild instanceof CfnBucket) return node.defaultChild;
  throw new Error(`${node.path} has no AWS::S3::Bucket below it`);
}
