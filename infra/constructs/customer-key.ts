/** The operator's own key of AWS KMS (setting `kmsKey`), and the permissions that its use needs. */
import { Aws } from 'aws-cdk-lib';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

/** The actions that a service carries out with the key for a role, by the action of the role. */
const KEY_ACTIONS: Readonly<Record<string, readonly string[]>> = {
  // DynamoDB asks for these with the credentials of the caller. The CDK grants the same.
  'dynamodb:GetItem': ['kms:Decrypt', 'kms:DescribeKey'],
  'dynamodb:Query': ['kms:Decrypt', 'kms:DescribeKey'],
  'dynamodb:GetRecords': ['kms:Decrypt', 'kms:DescribeKey'],
  'dynamodb:UpdateItem': ['kms:Encrypt', 'kms:GenerateDataKey', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'],
  'dynamodb:PutItem': ['kms:Encrypt', 'kms:GenerateDataKey', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'],
  's3:GetObject': ['kms:Decrypt'],
  // An upload in several parts reads its parts, which are encrypted.
  's3:PutObject': ['kms:Decrypt', 'kms:GenerateDataKey'],
  'sqs:SendMessage': ['kms:Decrypt', 'kms:GenerateDataKey'],
  'sqs:ReceiveMessage': ['kms:Decrypt'],
  'ssm:GetParameter': ['kms:Decrypt'],
  // A parameter of the standard tier is encrypted with the key itself.
  'ssm:PutParameter': ['kms:Encrypt'],
};

/** One statement for each service that needs the key for what the statements allow. Empty without a key. */
export function buildKeyStatements(
  keyArn: string | undefined,
  statements: readonly PolicyStatement[],
): PolicyStatement[] {
  if (keyArn === undefined) return [];
  const allowedActions = statements.filter(({ effect }) => effect === Effect.ALLOW).flatMap(({ actions }) => actions);
  const services = Map.groupBy(
    allowedActions.filter((action) => action in KEY_ACTIONS),
    (action) => action.split(':')[0],
  );
  return [...services].map(
    ([service, actions]) =>
      new PolicyStatement({
        actions: [...new Set(actions.flatMap((action) => KEY_ACTIONS[action] ?? []))].sort(),
        resources: [keyArn],
        conditions: { StringEquals: { 'kms:ViaService': `${service}.${Aws.REGION}.amazonaws.com` } },
      }),
  );
}

/** The key as a construct. Its policy stays as the operator wrote it. */
export function findCustomerKey(scope: Construct, user: string, keyArn: string | undefined): IKey | undefined {
  return keyArn === undefined ? undefined : Key.fromKeyArn(scope, `KeyOf${user}`, keyArn);
}
