// Returns its event, its context and its environment.
exports.handler = async (event, context) => ({
  statusCode: 200,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ event, context, remaining: context.getRemainingTimeInMillis(), environment: process.env }),
});
