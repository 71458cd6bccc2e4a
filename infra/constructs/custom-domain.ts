import { CfnBasePathMapping, CfnDomainName, type CfnStage } from 'aws-cdk-lib/aws-apigateway';
import { CfnRecordSet } from 'aws-cdk-lib/aws-route53';
import { Construct } from 'constructs';
import { buildEndpoint, type NetworkAccess } from './network-access.ts';

export interface Domain {
  readonly domainName: string;
  /** An ACM certificate in the region of the stack. */
  readonly certificateArn: string;
  /** If undefined, the operator must point the domain at the stack output `DomainTarget`. */
  readonly hostedZoneId: string | undefined;
}

/** Maps the root, because `/.well-known` is outside `/v1`. Returns the DNS target for a CNAME or alias record. */
export function addCustomDomain(
  scope: Construct,
  { domainName, certificateArn, hostedZoneId }: Domain,
  {
    restApiId,
    stage,
    access,
  }: { readonly restApiId: string; readonly stage: CfnStage; readonly access: NetworkAccess },
): string {
  const construct = new Construct(scope, 'Domain');
  const domain = new CfnDomainName(construct, 'Name', {
    domainName,
    regionalCertificateArn: certificateArn,
    endpointConfiguration: buildEndpoint(access),
    securityPolicy: 'TLS_1_2',
  });
  const dnsName = domain.attrRegionalDomainName;
  new CfnBasePathMapping(construct, 'Root', { domainName: domain.ref, restApiId, stage: stage.ref });
  if (hostedZoneId === undefined) return dnsName;
  for (const type of ['A', 'AAAA']) {
    new CfnRecordSet(construct, `Record${type}`, {
      name: domainName,
      type,
      hostedZoneId,
      aliasTarget: { dnsName, hostedZoneId: domain.attrRegionalHostedZoneId },
    });
  }
  return dnsName;
}
