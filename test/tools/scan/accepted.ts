/** Rules of scanners that the templates do not follow, each with the reason. */

import { WITHOUT_BUDGETS } from '#infra/constructs/budget.ts';

interface Acceptance {
  readonly scanner: string;
  readonly rules: readonly string[];
  /** The logical ids of the places that are accepted. Default: all. */
  readonly places?: RegExp;
  readonly reason: string;
}

const NEEDS_NETWORK = /^(deliver(Notification|Webhook)|mcp|trackIssues|issues|list|link|create(Jira)?Issue)/;
const BUCKET = /^Artifacts/;
const STAGE = /^Stage/;
const OWN_KEY =
  'AWS encrypts it with a key of its own. A key of the operator is the setting kmsKey, and with it this rule has no finding';

export const ACCEPTED: readonly Acceptance[] = [
  {
    scanner: 'cfn-lint',
    rules: ['W3005'],
    reason: 'The CDK adds dependencies that references imply already. They change nothing',
  },
  {
    scanner: 'cfn-lint',
    rules: ['E3006'],
    places: new RegExp(`^Budget in (${WITHOUT_BUDGETS.join('|')})`),
    reason: 'CloudFormation has no budgets in 20 regions. The synthesis refuses the setting budget there',
  },
  {
    scanner: 'checkov',
    rules: ['CKV_AWS_116'],
    reason:
      'Most functions answer requests, where the client repeats. Queues and the stream have dead letters of their own, and a run of a schedule that fails is made good by the next one, with an alarm',
  },
  {
    scanner: 'cfn-guard',
    rules: ['LAMBDA_DLQ_CHECK'],
    reason: 'As CKV_AWS_116 of checkov',
  },
  {
    scanner: 'checkov',
    rules: ['CKV_AWS_117'],
    reason: 'Functions call AWS only. Those that call receivers and trackers join a network by the setting subnets',
  },
  { scanner: 'cfn-guard', rules: ['LAMBDA_INSIDE_VPC'], reason: 'As CKV_AWS_117 of checkov' },
  {
    scanner: 'checkov',
    rules: ['CKV_AWS_115'],
    reason:
      'A limit per function would refuse requests while the account has room. The setting reservedConcurrency is for the authorizer, and queues have consumerConcurrency',
  },
  { scanner: 'cfn-guard', rules: ['LAMBDA_CONCURRENCY_CHECK'], reason: 'As CKV_AWS_115 of checkov' },
  {
    scanner: 'checkov',
    rules: ['CKV_AWS_173'],
    reason: 'Environment variables are names of resources, not secrets. With a key, each cold start would call KMS',
  },
  { scanner: 'checkov', rules: ['CKV_AWS_158', 'CKV_AWS_119', 'CKV_AWS_26'], reason: OWN_KEY },
  {
    scanner: 'cfn-guard',
    rules: [
      'CLOUDWATCH_LOG_GROUP_ENCRYPTED',
      'DYNAMODB_TABLE_ENCRYPTED_KMS',
      'DYNAMODB_TABLE_MUST_BE_ENCRYPTED',
      'SNS_ENCRYPTED_KMS',
      'SQS_QUEUE_KMS_MASTER_KEY_ID_RULE',
    ],
    reason: OWN_KEY,
  },
  {
    scanner: 'cfn-guard',
    rules: ['CMK_BACKING_KEY_ROTATION_ENABLED'],
    places: /^SigningKeys/,
    reason: 'KMS rotates no asymmetric keys. The setting signingKeys replaces those that sign access tokens',
  },
  {
    scanner: 'checkov',
    rules: ['CKV_AWS_28', 'CKV_AWS_21'],
    reason: 'Only dev has neither recovery nor versions: its results may be lost',
  },
  {
    scanner: 'cfn-guard',
    rules: ['DYNAMODB_PITR_ENABLED', 'S3_BUCKET_VERSIONING_ENABLED'],
    reason: 'As CKV_AWS_28 and CKV_AWS_21 of checkov',
  },
  {
    scanner: 'checkov',
    rules: ['CKV_AWS_27'],
    reason: `SqsManagedSseEnabled is true, which the rule does not read. ${OWN_KEY}`,
  },
  {
    scanner: 'checkov',
    rules: ['CKV_AWS_111'],
    places: NEEDS_NETWORK,
    reason:
      'Lambda needs the network interfaces of all subnets, whose ids nobody knows before. The code is denied them',
  },
  {
    scanner: 'cfn-guard',
    rules: ['IAM_POLICYDOCUMENT_NO_WILDCARD_RESOURCE'],
    places: NEEDS_NETWORK,
    reason: 'As CKV_AWS_111 of checkov',
  },
  {
    scanner: 'cfn-guard',
    rules: ['IAM_POLICYDOCUMENT_NO_WILDCARD_RESOURCE'],
    places: /Role[0-9A-F]{8}$/,
    reason:
      'X-Ray names no resources. The setting tracing lets each function write traces. The rule AwsSolutions-IAM5 of cdk-nag has a reason for each single resource *',
  },
  {
    scanner: 'cfn-guard',
    rules: ['S3_BUCKET_SSL_REQUESTS_ONLY'],
    reason: 'The policy of the bucket denies requests without TLS. The rule expects false, and the policy has "false"',
  },
  {
    scanner: 'checkov',
    rules: ['CKV_AWS_166'],
    reason:
      'The vault of the stack passes each backup on to the vault of the setting backupVault, which has a key of its own. AWS encrypts the first one with its key for backups. See infra/operate/README.md',
  },
  {
    scanner: 'checkov',
    rules: ['CKV_AWS_18'],
    places: BUCKET,
    reason:
      'Links end after 15 minutes, and the access log of the API has the request behind each. See infra/stacks/README.md',
  },
  { scanner: 'cfn-guard', rules: ['S3_BUCKET_LOGGING_ENABLED'], places: BUCKET, reason: 'As CKV_AWS_18 of checkov' },
  {
    scanner: 'checkov',
    rules: ['CKV_AWS_73'],
    places: STAGE,
    reason: 'Traces cost by the request. Request ids join the log of the gateway and those of functions',
  },
  {
    scanner: 'checkov',
    rules: ['CKV_AWS_120'],
    places: STAGE,
    reason: 'Answers depend on the credential, and a revoked one must fail at once. So no answer may come from a cache',
  },
  {
    scanner: 'cfn-guard',
    rules: ['API_GW_CACHE_ENABLED_AND_ENCRYPTED'],
    places: STAGE,
    reason: 'As CKV_AWS_120 of checkov',
  },
  {
    scanner: 'cfn-guard',
    rules: ['CFN_NO_EXPLICIT_RESOURCE_NAMES'],
    reason:
      'The API refers to functions by name, and people search logs, queues and alarms by name. A committed list holds that no name moves. See Decisions in infra/stacks/README.md',
  },
  {
    scanner: 'cfn-guard',
    rules: ['IAM_NO_INLINE_POLICY_CHECK'],
    reason: 'Each role has exactly the permissions of one function, so no two roles could share a managed policy',
  },
  {
    scanner: 'cfn-guard',
    rules: ['S3_BUCKET_DEFAULT_LOCK_ENABLED'],
    places: BUCKET,
    reason: 'A lock would keep results that people delete and that their retention ends',
  },
  {
    scanner: 'cfn-guard',
    rules: ['S3_BUCKET_REPLICATION_ENABLED'],
    places: BUCKET,
    reason: 'A copy in another account or region costs as much as the bucket. Versions bring deleted files back',
  },
  {
    scanner: 'cfn-guard',
    rules: ['S3_BUCKET_NO_PUBLIC_RW_ACL'],
    places: BUCKET,
    reason: 'The bucket blocks all public access. The rule wants an ACL as well, which new buckets have disabled',
  },
  {
    scanner: 'parliament',
    rules: ['RESOURCE_MISMATCH'],
    places: /^relayOutbox/,
    reason: 'dynamodb:ListStreams on the stream: see the decision in infra/stacks/README.md',
  },
  {
    scanner: 'parliament',
    rules: ['RESOURCE_STAR', 'UNKNOWN_CONDITION_FOR_ACTION'],
    places: NEEDS_NETWORK,
    reason:
      'As CKV_AWS_111 of checkov. parliament does not know lambda:SourceFunctionArn, with which AWS tells the code of a function from Lambda itself',
  },
];
