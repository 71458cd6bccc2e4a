/** From which networks the API takes requests (settings `allowedSources`, `access` and `vpcEndpoints`). */
import type { CfnDomainName, CfnRestApi } from 'aws-cdk-lib/aws-apigateway';

export interface NetworkAccess {
  /** Networks in CIDR notation. Default: all. */
  readonly allowedSources?: readonly string[] | undefined;
  /** The interface endpoints through which alone a private API is reached. Default: the API is public. */
  readonly vpcEndpoints?: readonly string[] | undefined;
}

const INVOKE = { Principal: '*', Action: 'execute-api:Invoke', Resource: 'execute-api:/*' };

/**
 * The resource policy of the API, or `undefined` if everybody may send requests. It denies instead of allowing less,
 * because a denial applies before the authorizer, whatever the authorizer allows.
 */
export function buildResourcePolicy({ allowedSources, vpcEndpoints }: NetworkAccess): object | undefined {
  if (allowedSources === undefined && vpcEndpoints === undefined) return undefined;
  // Behind an interface endpoint, the source address is that in the VPC.
  const address = vpcEndpoints ? 'aws:VpcSourceIp' : 'aws:SourceIp';
  const denied = [
    ...(vpcEndpoints ? [{ StringNotEquals: { 'aws:SourceVpce': vpcEndpoints } }] : []),
    ...(allowedSources ? [{ NotIpAddress: { [address]: allowedSources } }] : []),
  ];
  return {
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', ...INVOKE },
      ...denied.map((Condition) => ({ Effect: 'Deny', ...INVOKE, Condition })),
    ],
  };
}

export const isRestricted = (access: NetworkAccess): boolean => buildResourcePolicy(access) !== undefined;

type Endpoint = CfnRestApi.EndpointConfigurationProperty & CfnDomainName.EndpointConfigurationProperty;

/**
 * With a list of IPv4 networks only, the API has no IPv6 address: clients with both would use IPv6, and be refused. A
 * private API always has both.
 */
export function buildEndpoint({ allowedSources, vpcEndpoints }: NetworkAccess): Endpoint {
  if (vpcEndpoints) return { types: ['PRIVATE'], ipAddressType: 'dualstack', vpcEndpointIds: [...vpcEndpoints] };
  const hasIpv6 = allowedSources?.some((network) => network.includes(':')) ?? true;
  return { types: ['REGIONAL'], ipAddressType: hasIpv6 ? 'dualstack' : 'ipv4' };
}
