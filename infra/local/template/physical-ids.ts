/** Local names, ids and ARNs of the template's resources. */

export const REGION = 'us-east-1';
/** The account id that LocalStack-compatible endpoints use if the credentials belong to no account. */
export const ACCOUNT = '000000000000';
export const API_ID = 'rundown';
export const DEFAULT_TABLE = 'rundown';
export const DEFAULT_BUCKET = 'rundown-artifacts';

export interface PhysicalNames {
  readonly tableName: string;
  readonly bucketName: string;
  /** The SQS endpoint, with which queue URLs start. */
  readonly sqsEndpoint?: string | undefined;
  /** Prefix for all queue names, which separates services that share the same engines. */
  readonly queuePrefix?: string | undefined;
}

interface Identity {
  readonly logicalId: string;
  readonly stackName: string;
  readonly type: string;
  property(name: string): unknown;
}

/** The value of `Ref`. For types that the function does not list, this is the name of the resource. */
export function referenceOf(resource: Identity, names: PhysicalNames): string {
  switch (resource.type) {
    case 'AWS::SQS::Queue':
      return queueUrl(names.sqsEndpoint ?? '', arn('sqs', nameOf(resource, names)));
    case 'AWS::IAM::ManagedPolicy':
      return `arn:aws:iam::${ACCOUNT}:policy/${nameOf(resource, names)}`;
    case 'AWS::ApiGateway::Stage':
      return String(resource.property('StageName'));
    default:
      return nameOf(resource, names);
  }
}

/** The value of `Fn::GetAtt`. Throws if the attribute is not supported, and names the attribute in the error. */
export function resourceAttribute(resource: Identity, attribute: string, names: PhysicalNames): string {
  const made = ATTRIBUTES[resource.type]?.[attribute]?.(nameOf(resource, names));
  if (made !== undefined) return made;
  const asked = `${resource.logicalId}.${attribute} (${resource.type})`;
  throw new Error(
    `The template needs ${asked}, which the local runner does not support: add it to infra/local/template/physical-ids.ts`,
  );
}

const arn = (service: string, resource: string) => `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;

/** Returns the ARN of a function. Accepts its name or its ARN, because the template uses both. */
export const functionArn = (name: string): string =>
  name.startsWith('arn:') ? name : arn('lambda', `function:${name}`);

export const scheduleArn = (group: string, name: string): string => arn('scheduler', `schedule/${group}/${name}`);

export const queueUrl = (sqsEndpoint: string, queueArn: string): string =>
  `${sqsEndpoint}/${queueArn.split(':').slice(-2).join('/')}`;

const ATTRIBUTES: Readonly<Record<string, Readonly<Record<string, (name: string) => string>>>> = {
  'AWS::Lambda::Function': { Arn: functionArn },
  'AWS::DynamoDB::Table': {
    Arn: (name) => arn('dynamodb', `table/${name}`),
    StreamArn: (name) => arn('dynamodb', `table/${name}/stream/local`),
  },
  'AWS::S3::Bucket': { Arn: (name) => `arn:aws:s3:::${name}` },
  'AWS::SQS::Queue': { Arn: (name) => arn('sqs', name), QueueName: (name) => name },
  'AWS::Events::EventBus': { Arn: (name) => arn('events', `event-bus/${name}`) },
  'AWS::IAM::Role': { Arn: (name) => `arn:aws:iam::${ACCOUNT}:role/${name}` },
  'AWS::KMS::Key': { Arn: (name) => arn('kms', `key/${name}`) },
  'AWS::Logs::LogGroup': { Arn: (name) => arn('logs', `log-group:${name}:*`) },
};

const NAME_PROPERTIES: Readonly<Record<string, string>> = {
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::SQS::Queue': 'QueueName',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::Events::EventBus': 'Name',
  'AWS::Scheduler::Schedule': 'Name',
};

function nameOf(resource: Identity, names: PhysicalNames): string {
  if (resource.type === 'AWS::DynamoDB::Table') return names.tableName;
  if (resource.type === 'AWS::S3::Bucket') return names.bucketName;
  if (resource.type === 'AWS::ApiGateway::RestApi') return API_ID;
  const prefix = resource.type === 'AWS::SQS::Queue' ? (names.queuePrefix ?? '') : '';
  const given = NAME_PROPERTIES[resource.type];
  const chosen = given === undefined ? undefined : resource.property(given);
  return typeof chosen === 'string' ? `${prefix}${chosen}` : `${prefix}${resource.stackName}-${resource.logicalId}`;
}
