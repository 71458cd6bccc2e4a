import { Aws, NestedStack } from 'aws-cdk-lib';
import { CfnRestApi } from 'aws-cdk-lib/aws-apigateway';
import type { Construct } from 'constructs';
import { acknowledge } from '#infra/constructs/acknowledge.ts';
import {
  API_KEY_SOURCE,
  type ApiRoute,
  BINARY_MEDIA_TYPES,
  buildApiDefinition,
} from '#infra/constructs/api-definition.ts';
import { addAuthorizer } from '#infra/constructs/authorizer.ts';
import { buildEndpoint } from '#infra/constructs/network-access.ts';
import type { Surroundings } from '#infra/constructs/surroundings.ts';
import type { Settings } from './settings.ts';

interface GatewayStackProps extends Omit<Surroundings, 'publicOrigin'> {
  readonly settings: Settings;
  readonly routes: readonly ApiRoute[];
}

/**
 * Deployed before the functions, which need the origin of the API, so it refers to them by name. The routes go live
 * when `LiveStack` creates a deployment, after the functions.
 */
export class GatewayStack extends NestedStack {
  readonly api: CfnRestApi;
  readonly publicOrigin: string;

  constructor(scope: Construct, id: string, { routes, ...surroundings }: GatewayStackProps) {
    super(scope, id);
    const { environment, settings } = surroundings;
    const { domain } = settings;
    this.api = new CfnRestApi(this, 'Api', {
      name: `rundown-${environment.name}`,
      body: buildApiDefinition(environment, routes, settings),
      binaryMediaTypes: BINARY_MEDIA_TYPES,
      apiKeySourceType: API_KEY_SOURCE,
      endpointConfiguration: buildEndpoint(settings),
      // With a custom domain the default endpoint is disabled, so that there is a single origin.
      disableExecuteApiEndpoint: domain !== undefined,
    });
    acknowledge(this.api, 'AwsSolutions-APIG2', WITHOUT_VALIDATORS);
    const stageUrl = `https://${this.api.ref}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${environment.name}`;
    this.publicOrigin = domain ? `https://${domain.domainName}` : stageUrl;
    addAuthorizer(this, this.arnFor('authorizers/*'), { ...surroundings, publicOrigin: this.publicOrigin });
  }

  /** The source ARN that may invoke an endpoint's function: the method and path of the endpoint, in any stage. */
  methodArn(method: string, path: string): string {
    return this.arnFor(`*/${method}${path.replaceAll(/\{[^{}]+\}/g, '*')}`);
  }

  /** The source ARN of every method and path of this API, for functions with many routes. */
  anyMethodArn(): string {
    return this.arnFor('*/*');
  }

  private arnFor(resource: string): string {
    return `arn:${Aws.PARTITION}:execute-api:${Aws.REGION}:${Aws.ACCOUNT_ID}:${this.api.ref}/${resource}`;
  }
}

const WITHOUT_VALIDATORS =
  'Every function validates its request against its schema and returns errors in the format of §7; a second validation in API Gateway would add nothing.';
