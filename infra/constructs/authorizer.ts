import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { issuerKeys } from '#shared/model/oauth/issuer-keys.ts';
import { apiKeys } from '#shared/model/organizations/api-key.ts';
import { buildCredentials } from '#shared/model/organizations/build-credential.ts';
import { memberships } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { personalTokens } from '#shared/model/organizations/personal-token.ts';
import { trustedRepositories } from '#shared/model/organizations/trusted-repository.ts';
import { monthsOfRequests, requestsOfCredentials } from '#shared/model/usage/usage.ts';
import { addAlarm, SUM } from './alarm.ts';
import { RundownFunction } from './rundown-function.ts';
import type { Surroundings } from './surroundings.ts';
import { addRequestsAlarm } from './usage-alarms.ts';

/** Checks credential and limits of nearly every API request, counts samples, and notes the use of personal tokens. */
export function addAuthorizer(scope: Construct, sourceArn: string, surroundings: Surroundings): void {
  const construct = new Construct(scope, 'Authorizer');
  const { logGroup } = new RundownFunction(construct, 'Authorizer', {
    ...surroundings,
    sourceArn,
    name: 'authorizer',
    file: 'functions/authorizer.ts',
    access: {
      table: 'readUpdate',
      reads: [apiKeys, buildCredentials, issuerKeys, organizations, memberships, trustedRepositories],
      writes: [personalTokens, monthsOfRequests, requestsOfCredentials],
      artifacts: 'none',
    },
    timeoutSeconds: 10,
    reservedConcurrency: surroundings.settings.reservedConcurrency,
    isWarm: true,
  });
  addRequestsAlarm(construct, surroundings, logGroup);
  // The function must throw for every 401, so its error metric also counts mistakes of clients. The filter does not.
  const errorMessageField = '$.message.errorMessage';
  const faults = new MetricFilter(construct, 'Faults', {
    logGroup,
    metricNamespace: 'Rundown',
    metricName: `${surroundings.environment.name}-authorizer-faults`,
    filterPattern: FilterPattern.all(
      FilterPattern.stringValue('$.level', '=', 'ERROR'),
      FilterPattern.any(
        FilterPattern.notExists(errorMessageField),
        FilterPattern.stringValue(errorMessageField, '!=', 'Unauthorized'),
      ),
    ),
  });
  addAlarm(construct, 'FaultsAlarm', surroundings, {
    metric: faults.metric(SUM),
    threshold: 1,
    harm: 'Clients with valid credentials get 503, because the authorizer fails.',
    runbook: 'authorizer-faults',
  });
}
