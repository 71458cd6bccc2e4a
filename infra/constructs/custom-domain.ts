import { CfnBasePathMapping, CfnDomainName, type CfnStage } from 'aws-cdk-lib/aws-apigateway';
import { CfnRecordSet } from 'aws-cdk-lib/aws-route53';
import { Construct } from 'constructs';

export interface Domain {
  readonly domainName: string;
  /** An ACM certificate in the region of the stack. */
  readonly certificateArn: string;
  /**
   * Route 53 hosted zone of the domain. If it is undefined, the operator must point the domain at the stack output
   * `DomainTarget`.
   */
  readonly hostedZoneId: string | undefined;
}

export interface CustomDomainProps extends Domain {
  readonly restApiId: string;
  readonly stage: CfnStage;
}

/** The domain is mapped at the root, because `/.well-known` and the recording paths are outside `/v1`. */
export class CustomDomain extends Construct {
  /** DNS target for a CNAME or alias record. */
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
