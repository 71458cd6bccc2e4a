/** Runs a Lambda REQUEST authorizer (no cache, no identity source) and evaluates its policy. */
import * as z from 'zod';
import type { LocalFunction } from '#infra/local/lambda/lambda.ts';
import { ACCOUNT, API_ID, REGION } from '#infra/local/template/physical-ids.ts';
import { isLike, textOrTexts } from '#infra/local/template/role-statements.ts';
import type { GatewayResponseType } from './gateway-responses.ts';
import type { LocalProxyEvent } from './proxy-event.ts';

/** The authorizer's context, with all values as strings, as functions and gateway responses get it. */
type AuthorizerContext = Readonly<Record<string, string>>;

export type AuthorizerVerdict =
  | {
      readonly kind: 'allowed';
      readonly authorizer: AuthorizerContext;
      /** The usage plan key, if the authorizer returned one. */
      readonly gatewayKey: string | undefined;
    }
  | {
      readonly kind: 'refused';
      readonly response: GatewayResponseType;
      readonly message?: string;
      readonly authorizer?: AuthorizerContext;
    };

const Statement = z.object({ Effect: z.enum(['Allow', 'Deny']), Action: textOrTexts, Resource: textOrTexts });

const Answer = z.object({
  principalId: z.string(),
  policyDocument: z.object({
    // IAM rejects other versions of the policy language.
    Version: z.enum(['2012-10-17', '2008-10-17']).optional(),
    Statement: z.union([Statement, z.array(Statement)]).transform((value) => [value].flat()),
  }),
  // The gateway answers with 500 if a value is an object or a list.
  context: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  usageIdentifierKey: z.string().optional(),
});

/** API Gateway's limits for the method ARN in the event, and for a resource ARN in the policy. */
export const MAX_METHOD_ARN_BYTES = 1600;
const MAX_POLICY_ARN_CHARACTERS = 512;

export const formatMethodArn = (event: LocalProxyEvent): string =>
  `arn:aws:execute-api:${REGION}:${ACCOUNT}:${API_ID}/${event.requestContext.stage}/${event.httpMethod}${event.path}`;

/** Invokes the authorizer. Calls `onFault` for any failure except the error `Unauthorized`. */
export async function authorize(
  authorizer: LocalFunction,
  event: LocalProxyEvent,
  onFault: (line: string) => void,
): Promise<AuthorizerVerdict> {
  const arn = formatMethodArn(event);
  const startedAt = performance.now();
  const result = await authorizer.invoke(JSON.stringify({ type: 'REQUEST', methodArn: arn, ...event }));
  if (result.kind === 'failed') {
    if (result.message === 'Unauthorized') return { kind: 'refused', response: 'UNAUTHORIZED' };
    onFault(result.report);
    return { kind: 'refused', response: 'AUTHORIZER_FAILURE' };
  }
  const answer = Answer.safeParse(JSON.parse(result.payload));
  if (!answer.success) return refuseMisconfigured(z.prettifyError(answer.error), onFault);
  const { principalId, policyDocument, context, usageIdentifierKey } = answer.data;
  const statements = policyDocument.Statement;
  if (statements.some(({ Resource }) => Resource.some((resource) => resource.length > MAX_POLICY_ARN_CHARACTERS))) {
    return refuseMisconfigured(`A resource has more than ${MAX_POLICY_ARN_CHARACTERS} characters`, onFault);
  }
  const texts = Object.fromEntries(Object.entries(context).map(([name, value]) => [name, String(value)]));
  const authorizerContext = {
    ...texts,
    principalId,
    integrationLatency: String(Math.round(performance.now() - startedAt)),
  };
  // Evaluates the policy as IAM does: an explicit deny wins, and the default is deny.
  const applicableStatements = statements.filter(
    ({ Action, Resource }) => isAnyLike(Action, 'execute-api:Invoke') && isAnyLike(Resource, arn),
  );
  if (applicableStatements.some(({ Effect }) => Effect === 'Deny')) {
    const message = 'User is not authorized to access this resource with an explicit deny';
    return { kind: 'refused', response: 'ACCESS_DENIED', message, authorizer: authorizerContext };
  }
  if (applicableStatements.length === 0)
    return { kind: 'refused', response: 'ACCESS_DENIED', authorizer: authorizerContext };
  return { kind: 'allowed', authorizer: authorizerContext, gatewayKey: usageIdentifierKey };
}

function refuseMisconfigured(reason: string, onFault: (line: string) => void): AuthorizerVerdict {
  onFault(`The authorizer's answer is not valid: ${reason}`);
  return { kind: 'refused', response: 'AUTHORIZER_CONFIGURATION_ERROR' };
}

const isAnyLike = (patterns: readonly string[], value: string): boolean =>
  patterns.some((pattern) => isLike(value.toLowerCase(), pattern.toLowerCase()));
