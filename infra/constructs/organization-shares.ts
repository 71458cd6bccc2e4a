import { CfnApiKey, type CfnStage, CfnUsagePlan, CfnUsagePlanKey } from 'aws-cdk-lib/aws-apigateway';
import { Construct } from 'constructs';
import type { Environment } from '#infra/build/environments.ts';
import { formatGatewayKey, GATEWAY_KEYS } from '#shared/access/gateway-key.ts';
import { formatPhysicalName } from './physical-name.ts';

/** The usage plan of the stage: one token bucket per usage plan key, across all methods that require a key. */
export function addOrganizationShares(
  scope: Construct,
  environment: Environment,
  restApiId: string,
  stage: CfnStage,
): void {
  const construct = new Construct(scope, 'Shares');
  const { requestsPerSecond, burstRequests } = environment.organizationThrottle;
  const plan = new CfnUsagePlan(construct, 'Plan', {
    usagePlanName: formatPhysicalName(environment, 'organizations'),
    description: 'Request limit of each organization in this stage',
    apiStages: [{ apiId: restApiId, stage: stage.ref }],
    throttle: { rateLimit: requestsPerSecond, burstLimit: burstRequests },
  });
  let last: { readonly key: CfnApiKey; readonly attached: CfnUsagePlanKey } | undefined;
  for (let number = 0; number < GATEWAY_KEYS; number += 1) {
    const value = formatGatewayKey(environment.name, number);
    const key = new CfnApiKey(construct, `Key${number}`, { name: value, value, enabled: true });
    const planKey = new CfnUsagePlanKey(construct, `Attached${number}`, {
      keyId: key.ref,
      keyType: 'API_KEY',
      usagePlanId: plan.ref,
    });
    // One after another: AWS creates at most five keys per second, and fails if two are attached at the same time.
    if (last) {
      key.addResourceDependency(last.key);
      planKey.addResourceDependency(last.attached);
    }
    last = { key, attached: planKey };
  }
}
