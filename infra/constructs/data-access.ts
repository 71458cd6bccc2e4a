import { Aws, Stack } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Effect, type IManagedPolicy, ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type Bucket, CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import {
  type Environment,
  formatProvidersPrefix,
  formatSecretsPrefix,
  formatSignInPrefix,
  formatTrackersPrefix,
} from '#infra/build/environments.ts';
import type { KeyedRowKind } from '#infra/build/key-patterns.ts';
import { listLeadingKeys } from '#infra/build/leading-keys.ts';
import type { RowKind } from '#shared/engine/table/entity.ts';
import { EXPORTS } from '#shared/model/analytics/exported-day.ts';
import { UPLOADS } from '#shared/model/results/artifact.ts';
import { CACHE } from '#shared/model/runs/cached-version.ts';
import { IMPORTS } from '#shared/model/runs/import.ts';
import { SIGN_IN_SECRETS } from '#shared/model/sign-in/deployment-provider.ts';
import type { Access } from '#shared/platform/access.ts';
import { acknowledge } from './acknowledge.ts';
import { buildKeyStatements } from './customer-key.ts';

const READ = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'];
/** The action that is needed for condition checks in transactions. */
const CHECK = 'dynamodb:ConditionCheckItem';
const UPDATE = ['dynamodb:UpdateItem'];
const WRITE = ['dynamodb:PutItem', ...UPDATE, 'dynamodb:DeleteItem', 'dynamodb:BatchWriteItem'];

/** Denied on guarded rows, except for declared kinds. No role may use PartiQL: its actions are here just in case. */
const EVERY_WRITE = [...WRITE, 'dynamodb:PartiQLInsert', 'dynamodb:PartiQLUpdate', 'dynamodb:PartiQLDelete'];

const TABLE_ACTIONS: Readonly<Record<Access['table'], Record<'read' | 'write', readonly string[]>>> = {
  none: { read: [], write: [] },
  read: { read: READ, write: [] },
  readUpdate: { read: READ, write: UPDATE },
  readWrite: { read: [...READ, CHECK], write: WRITE },
};

export interface DataAccessProps {
  readonly environment: Environment;
  readonly table: ITable;
  readonly artifacts: Bucket;
  readonly rowKinds: readonly KeyedRowKind[];
  readonly kmsKey: string | undefined;
}

/** Each function gets policies according to its declaration. */
export class DataAccess extends Construct {
  private readonly table: ITable;
  private readonly rowKinds: readonly KeyedRowKind[];
  private readonly guarded: readonly string[];
  private readonly kmsKey: string | undefined;
  private readonly artifacts: Readonly<Record<Access['artifacts'], IManagedPolicy[]>>;
  private readonly secrets: Readonly<Record<NonNullable<Access['secrets']>, IManagedPolicy>>;
  private readonly providers: Readonly<Record<NonNullable<Access['providers']>, IManagedPolicy>>;
  private readonly signInSecrets: IManagedPolicy;
  private readonly trackers: Readonly<Record<NonNullable<Access['trackers']>, IManagedPolicy[]>>;

  constructor(scope: Construct, id: string, { environment, table, artifacts, rowKinds, kmsKey }: DataAccessProps) {
    super(scope, id);
    this.kmsKey = kmsKey;
    this.table = table;
    this.rowKinds = rowKinds;
    this.guarded = listLeadingKeys(rowKinds.filter(({ guarded }) => guarded));
    this.artifacts = this.addArtifactPolicies(artifacts);
    const formatParametersArn = (prefix: string) =>
      `arn:${Aws.PARTITION}:ssm:${Aws.REGION}:${Aws.ACCOUNT_ID}:parameter${prefix}/*`;
    const writeActions = ['ssm:PutParameter', 'ssm:DeleteParameter'];
    const secrets = [formatParametersArn(formatSecretsPrefix(environment))];
    this.secrets = {
      read: this.addPolicy('ReadSecrets', ['ssm:GetParameter'], secrets),
      write: this.addPolicy('WriteSecrets', writeActions, secrets),
    };
    const trackers = [formatParametersArn(formatTrackersPrefix(environment))];
    const readTrackers = this.addPolicy('ReadTrackers', ['ssm:GetParameter'], trackers);
    const writeTrackers = this.addPolicy('WriteTrackers', writeActions, trackers);
    this.trackers = { read: [readTrackers], write: [writeTrackers], readWrite: [readTrackers, writeTrackers] };
    const providers = [formatParametersArn(formatProvidersPrefix(environment))];
    this.providers = {
      read: this.addPolicy('ReadProviders', ['ssm:GetParameter'], providers),
      write: this.addPolicy('WriteProviders', writeActions, providers),
    };
    const signIn = `${formatSignInPrefix(environment)}/${SIGN_IN_SECRETS}`;
    this.signInSecrets = this.addPolicy('ReadSignInSecrets', ['ssm:GetParameter'], [formatParametersArn(signIn)]);
    const prefixes = [formatSecretsPrefix, formatTrackersPrefix, formatProvidersPrefix].map((one) => one(environment));
    for (const prefix of [...prefixes, signIn])
      acknowledge(
        this,
        `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:ssm:<AWS::Region>:<AWS::AccountId>:parameter${prefix}/*]`,
        'The parameters of this deployment, whose names are created at run time.',
      );
    for (const objectsOf of ['/*', `/${UPLOADS}/*`, `/${IMPORTS}/*`, `/${CACHE}/*`, `/${EXPORTS}/*`]) {
      acknowledge(
        this,
        `AwsSolutions-IAM5[Resource::<${Stack.of(this).getLogicalId(getBucketResource(artifacts))}.Arn>${objectsOf}]`,
        'Only the objects of one bucket, whose keys are created at run time.',
      );
    }
  }

  private addArtifactPolicies(artifacts: Bucket): Readonly<Record<Access['artifacts'], IManagedPolicy[]>> {
    const objects = [artifacts.arnForObjects('*')];
    const readArtifacts = this.addPolicy('ReadArtifacts', ['s3:GetObject'], objects);
    // Upload URLs are signed only for this prefix, so no upload can overwrite a confirmed file.
    const uploads = [artifacts.arnForObjects(`${UPLOADS}/*`)];
    const writeUploads = this.addPolicy('WriteUploads', ['s3:PutObject'], uploads);
    // Report files are stored below this prefix until the queue consumer has recorded them.
    const reports = [artifacts.arnForObjects(`${IMPORTS}/*`)];
    const writeReports = this.addPolicy('WriteReports', ['s3:PutObject'], reports);
    const deleteArtifacts = this.addPolicy('DeleteArtifacts', ['s3:DeleteObject'], objects);
    // Without ListBucket, S3 returns 403 instead of 404 for missing files. Listing gives no access to content.
    const listArtifacts = this.addPolicy('ListArtifacts', ['s3:ListBucket'], [artifacts.bucketArn]);
    const cacheObjects = [artifacts.arnForObjects(`${CACHE}/*`)];
    const exportObjects = [artifacts.arnForObjects(`${EXPORTS}/*`)];
    const deleteExports = this.addPolicy('DeleteExports', ['s3:DeleteObject'], exportObjects);
    return {
      none: [],
      exportWrite: [this.addPolicy('WriteExports', ['s3:PutObject'], exportObjects), deleteExports],
      exportDelete: [deleteExports],
      list: [listArtifacts],
      cacheRead: [this.addPolicy('ReadCache', ['s3:GetObject', 's3:DeleteObject'], cacheObjects)],
      cacheWrite: [this.addPolicy('WriteCache', ['s3:PutObject'], cacheObjects)],
      read: [readArtifacts],
      write: [writeUploads],
      readWrite: [readArtifacts, writeUploads],
      delete: [deleteArtifacts],
      readDelete: [readArtifacts, deleteArtifacts],
      confirm: [
        readArtifacts,
        this.addPolicy('WriteArtifacts', ['s3:PutObject'], objects),
        deleteArtifacts,
        listArtifacts,
      ],
      submit: [writeReports, writeUploads],
      import: [
        this.addPolicy('ReadReports', ['s3:GetObject', 's3:DeleteObject'], reports),
        writeUploads,
        listArtifacts,
      ],
    };
  }

  listPolicies({ artifacts, secrets, trackers, providers, signInSecrets }: Access): IManagedPolicy[] {
    const policies = [...this.artifacts[artifacts]];
    if (secrets) policies.push(this.secrets[secrets]);
    if (trackers) policies.push(...this.trackers[trackers]);
    if (providers) policies.push(this.providers[providers]);
    if (signInSecrets) policies.push(this.signInSecrets);
    return policies;
  }

  /** Guarded rows control who may do what, so a function may write only the kinds that it declares. */
  listStatements({ table, reads, writes, alsoWrites = [] }: Access): PolicyStatement[] {
    const { read, write } = TABLE_ACTIONS[table];
    const allowedKeys = this.listKeys([...(writes ?? []), ...alsoWrites]);
    const deniedKeys = this.guarded.filter((key) => !allowedKeys.includes(key));
    const statements = [...this.allow(read, reads && [...reads, ...(writes ?? [])]), ...this.allow(write, writes)];
    if (write.length > 0 && deniedKeys.length > 0) {
      const conditions = { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': deniedKeys } };
      statements.push(this.makeStatement(Effect.DENY, EVERY_WRITE, conditions));
    }
    return statements;
  }

  /**
   * `ForAllValues` would also match a request without keys, but every granted action supports `dynamodb:LeadingKeys`,
   * so there is no such request. If `kinds` is undefined, all rows are allowed.
   */
  private allow(actions: readonly string[], kinds: readonly RowKind[] | undefined): PolicyStatement[] {
    if (actions.length === 0) return [];
    const keys = kinds && { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': this.listKeys(kinds) } };
    return [this.makeStatement(Effect.ALLOW, actions, keys)];
  }

  private listKeys(kinds: readonly RowKind[]): string[] {
    const keyedKinds = kinds.map(({ type }) => {
      const kind = this.rowKinds.find((one) => one.type === type);
      if (!kind) throw new Error(`A function declares access to "${type}", but shared/model exports no such rows`);
      return kind;
    });
    return listLeadingKeys(keyedKinds);
  }

  private makeStatement(effect: Effect, actions: readonly string[], conditions: object = {}): PolicyStatement {
    const resources = [this.table.tableArn];
    return new PolicyStatement({ effect, actions: [...actions], resources, conditions: { ...conditions } });
  }

  private addPolicy(id: string, actions: string[], resources: string[]): ManagedPolicy {
    const statements = [new PolicyStatement({ actions, resources })];
    return new ManagedPolicy(this, id, { statements: [...statements, ...buildKeyStatements(this.kmsKey, statements)] });
  }
}

export function getBucketResource({ node }: Bucket): CfnBucket {
  if (node.defaultChild instanceof CfnBucket) return node.defaultChild;
  throw new Error(`${node.path} does not contain an AWS::S3::Bucket`);
}
