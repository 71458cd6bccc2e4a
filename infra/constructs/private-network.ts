import { Aws } from 'aws-cdk-lib';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnFunction, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';

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

/** Lambda requires these actions on all network interfaces. The deny statement keeps them from the function's code. */
export function buildNetworkStatements(functionName: string): PolicyStatement[] {
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
