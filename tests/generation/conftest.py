from llm.conftest import no_certificates, serve, talk_to

__all__ = ["no_certificates", "serve", "talk_to"]
