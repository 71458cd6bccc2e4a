import { Aws } from 'aws-cdk-lib';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnFunction, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';

/** The subnets and security groups of a VPC, by id. */
export interface PrivateNetwork {
  readonly subnetIds: readonly string[];
  readonly securityGroupIds: readonly string[];
}

/** EC2 actions that Lambda needs to attach a function to a VPC. */
const INTERFACES = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

/**
 * The policy statements of a function in a VPC. Lambda requires the EC2 actions on all network interfaces. A deny
 * statement keeps the code of the function from using these actions.
 */
export function networkStatements(functionName: string): PolicyStatement[] {
  const functionArn = `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function:${functionName}`;
  return [
    new PolicyStatement({ actions: INTERFACES, resources: ['*'] }),
    new PolicyStatement({
      effect: Effect.DENY,
      actions: INTERFACES,
      resources: ['*'],
      conditions: { ArnEquals: { 'lambda:SourceFunctionArn': functionArn } },
    }),
  ];
}

export function joinNetwork({ node }: LambdaFunction, { subnetIds, securityGroupIds }: PrivateNetwork): void {
  if (!(node.defaultChild instanceof CfnFunction))
    throw new Error(`${node.path} does not contain an AWS::Lambda::Function`);
  node.defaultChild.vpcConfig = { subnetIds: [...subnetIds], securityGroupIds: [...securityGroupIds] };
}

export const ALL_INTERFACES =
  'Lambda creates and deletes the interfaces, whose ids are known only at run time; the code of the function is denied these actions.';
