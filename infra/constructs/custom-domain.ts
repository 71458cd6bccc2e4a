import { CfnBasePathMapping, CfnDomainName, type CfnStage } from 'aws-cdk-lib/aws-apigateway';
import { CfnRecordSet } from 'aws-cdk-lib/aws-route53';
import { Construct } from 'constructs';

export interface Domain {
  readonly domainName: string;
  /** A certificate of AWS Certificate Manager, in the region of the stack. */
  readonly certificateArn: string;
  /**
   * The hosted zone of the domain. Without it, the operator points the name at `DomainTarget`, an output of the stack.
   */
  readonly hostedZoneId: string | undefined;
}

export interface CustomDomainProps extends Domain {
  readonly restApiId: string;
  readonly stage: CfnStage;
}

/**
 * The domain is mapped at the root, because `/.well-known` and the recording paths are outside `/v1` (architecture of
 * the API).
 */
export class CustomDomain extends Construct {
  /** The DNS target of the name, for a CNAME record or an alias. */
  readonly target: string;

  constructor(
    scope: Construct,
    id: string,
    { domainName, certificateArn, hostedZoneId, restApiId, stage }: CustomDomainProps,
  ) {
    super(scope, id);
    const domain = new CfnDomainName(this, 'Name', {
      domainName,
      regionalCertificateArn: certificateArn,
      endpointConfiguration: { types: ['REGIONAL'], ipAddressType: 'dualstack' },
      securityPolicy: 'TLS_1_2',
    });
    this.target = domain.attrRegionalDomainName;
    new CfnBasePathMapping(this, 'Root', { domainName: domain.ref, restApiId, stage: stage.ref });
    if (hostedZoneId === undefined) return;
    for (const type of ['A', 'AAAA']) {
      new CfnRecordSet(this, `Record${type}`, {
        name: domainName,
        type,
        hostedZoneId,
        aliasTarget: { dnsName: this.target, hostedZoneId: domain.attrRegionalHostedZoneId },
      });
    }
  }
}
