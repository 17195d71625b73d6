// Reads a claim and refusals with the client that openapi-generator made. The environment has KEY.

import { Configuration, HandlesApi, ResponseError } from "./index";
import { Problem, ProblemCode, ProblemFromJSON, ReasonCode, State } from "./index";

declare const process: { env: Record<string, string | undefined>; exitCode: number };

// The client has the address that the document was read from.
const handles = new HandlesApi(new Configuration({ accessToken: process.env.KEY }));

function expect(isTrue: boolean, value: unknown) {
    if (!isTrue) throw new Error(JSON.stringify(value));
}

async function refusal(handle: string): Promise<Problem> {
    try {
        const claimed = await handles.claimHandle({ handle, claimRequest: { owner: "user-4" } });
        throw new Error(JSON.stringify(claimed));
    } catch (error) {
        if (!(error instanceof ResponseError)) throw error;
        return ProblemFromJSON(await error.response.json());
    }
}

async function main() {
    const claimed = await handles.claimHandle({ handle: "JaneDoe", claimRequest: { owner: "user-3" } });
    const owner: string | null = claimed.owner;
    expect(owner === "user-3", claimed);

    const taken = await refusal("janedoe");
    const reason = taken.reasons?.[0];
    expect(taken.status === 409 && taken.code === ProblemCode.Taken, taken);
    expect(reason?.code === ReasonCode.Taken && reason.state === State.Claimed, taken);

    const short = await refusal("jo");
    expect(short.code === ProblemCode.TooShort && short.reasons?.[0].length === 2, short);
}

main().catch((error) => {
    console.error(error);
    process.exitCode = 1;
});
