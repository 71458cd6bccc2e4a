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
export function getResourceReference(resource: Identity, names: PhysicalNames): string {
  switch (resource.type) {
    case 'AWS::SQS::Queue':
      return formatQueueUrl(names.sqsEndpoint ?? '', formatArn('sqs', getPhysicalName(resource, names)));
    case 'AWS::IAM::ManagedPolicy':
      return `arn:aws:iam::${ACCOUNT}:policy/${getPhysicalName(resource, names)}`;
    case 'AWS::ApiGateway::Stage':
      return String(resource.property('StageName'));
    default:
      return getPhysicalName(resource, names);
  }
}

/** The value of `Fn::GetAtt`. Throws if the attribute is not supported, and names the attribute in the error. */
export function getResourceAttribute(resource: Identity, attribute: string, names: PhysicalNames): string {
  const value = ATTRIBUTES[resource.type]?.[attribute]?.(getPhysicalName(resource, names));
  if (value !== undefined) return value;
  const place = `${resource.logicalId}.${attribute} (${resource.type})`;
  throw new Error(
    `The template needs ${place}, which the local runner does not support: add it to infra/local/template/physical-ids.ts`,
  );
}

const formatArn = (service: string, resource: string) => `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;

/** Returns the ARN of a function. Accepts its name or its ARN, because the template uses both. */
export const formatFunctionArn = (name: string): string =>
  name.startsWith('arn:') ? name : formatArn('lambda', `function:${name}`);

export const formatScheduleArn = (group: string, name: string): string =>
  formatArn('scheduler', `schedule/${group}/${name}`);

export const formatQueueUrl = (sqsEndpoint: string, queueArn: string): string =>
  `${sqsEndpoint}/${queueArn.split(':').slice(-2).join('/')}`;

const ATTRIBUTES: Readonly<Record<string, Readonly<Record<string, (name: string) => string>>>> = {
  'AWS::Lambda::Function': { Arn: formatFunctionArn },
  'AWS::DynamoDB::Table': {
    Arn: (name) => formatArn('dynamodb', `table/${name}`),
    StreamArn: (name) => formatArn('dynamodb', `table/${name}/stream/local`),
  },
  'AWS::S3::Bucket': { Arn: (name) => `arn:aws:s3:::${name}` },
  'AWS::SQS::Queue': { Arn: (name) => formatArn('sqs', name), QueueName: (name) => name },
  'AWS::Events::EventBus': { Arn: (name) => formatArn('events', `event-bus/${name}`) },
  'AWS::IAM::Role': { Arn: (name) => `arn:aws:iam::${ACCOUNT}:role/${name}` },
  'AWS::KMS::Key': { Arn: (name) => formatArn('kms', `key/${name}`) },
  'AWS::Logs::LogGroup': { Arn: (name) => formatArn('logs', `log-group:${name}:*`) },
};

const NAME_PROPERTIES: Readonly<Record<string, string>> = {
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::SQS::Queue': 'QueueName',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::Events::EventBus': 'Name',
  'AWS::Scheduler::Schedule': 'Name',
};

function getPhysicalName(resource: Identity, names: PhysicalNames): string {
  if (resource.type === 'AWS::DynamoDB::Table') return names.tableName;
  if (resource.type === 'AWS::S3::Bucket') return names.bucketName;
  if (resource.type === 'AWS::ApiGateway::RestApi') return API_ID;
  const prefix = resource.type === 'AWS::SQS::Queue' ? (names.queuePrefix ?? '') : '';
  const nameProperty = NAME_PROPERTIES[resource.type];
  const physicalName = nameProperty === undefined ? undefined : resource.property(nameProperty);
  return typeof physicalName === 'string'
    ? `${prefix}${physicalName}`
    : `${prefix}${resource.stackName}-${resource.logicalId}`;
}
