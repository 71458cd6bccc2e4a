// Returns the verdict in the request's header. Without one, it allows the request. Tells the function about its event.
exports.handler = async (event) => {
  const order = JSON.parse(event.headers['X-Verdict'] ?? '{}');
  if (order.throws) throw new Error(order.throws);
  if (order.answer) return order.answer;
  const resource = order.resource ?? '*';
  return {
    principalId: 'someone',
    policyDocument: {
      Version: '2012-10-17',
      Statement: order.statements ?? [
        { Effect: order.effect ?? 'Allow', Action: 'execute-api:Invoke', Resource: resource },
      ],
    },
    usageIdentifierKey: order.key,
    context: { ...order.context, sawBody: 'body' in event, type: event.type, methodArn: event.methodArn, count: 7 },
  };
};
