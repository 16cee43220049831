"""TRL's own trainer takes the exported files as they are; needs the `train` extra."""

import pytest

reason = "the train extra (trl, transformers, torch) is not installed"
trl = pytest.importorskip("trl", reason=reason)
transformers = pytest.importorskip("transformers", reason=reason)

import datasets  # noqa: E402
import tokenizers  # noqa: E402

from synthagent.export import export_messages, export_prompt_completion  # noqa: E402
from tests.export.refined import shopping  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    # of the libraries, and not about the rows
    pytest.mark.filterwarnings("default"),
]

TEMPLATE = """{% for message in messages -%}
<|im_start|>{{ message['role'] }}
{{ message['content'] }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""


@pytest.fixture(scope="module")
def tokenizer():
    """A tokenizer of single bytes, made here: nothing is downloaded."""
    model = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=_bytes(), merges=[]))
    model.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    model.decoder = tokenizers.decoders.ByteLevel()
    made = transformers.PreTrainedTokenizerFast(
        tokenizer_object=model, eos_token="<|im_end|>", pad_token="<|pad|>"
    )
    made.add_special_tokens({"additional_special_tokens": ["<|im_start|>"]})
    made.chat_template = TEMPLATE
    return made


def _bytes():
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    return {letter: number for number, letter in enumerate(alphabet)}


def load(file):
    """Load an exported file as a user would, with nothing said about its columns."""
    cache = str(file.parent / "cache")
    return datasets.load_dataset("json", data_files=str(file), split="train", cache_dir=cache)


def tiny_model(vocabulary):
    config = transformers.Qwen2Config(
        vocab_size=vocabulary,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=16_384,
    )
    return transformers.Qwen2ForCausalLM(config)


FORMS = {"messages": export_messages, "prompt_completion": export_prompt_completion}


@pytest.mark.parametrize("form", FORMS)
def test_the_trainer_takes_a_step_on_the_rows_as_they_are(tmp_path, tokenizer, form):
    out = tmp_path / f"{form}.jsonl"
    report = FORMS[form]([shopping(str(number)) for number in range(2)], out)
    rows = load(out)
    assert len(rows) == report.rows == 8
    trainer = trl.SFTTrainer(
        model=tiny_model(len(tokenizer)),
        args=trl.SFTConfig(
            output_dir=str(tmp_path / "out"),
            max_steps=1,
            per_device_train_batch_size=2,
            max_length=None,
            report_to=[],
            save_strategy="no",
            use_cpu=True,
            bf16=False,
            gradient_checkpointing=False,
            disable_tqdm=True,
        ),
        train_dataset=rows,
        processing_class=tokenizer,
    )
    before = {name: value.clone() for name, value in trainer.model.named_parameters()}
    result = trainer.train()
    assert result.global_step == 1
    assert 0 < result.training_loss < 100
    assert any((value != before[name]).any() for name, value in trainer.model.named_parameters())


def test_the_loss_is_on_the_answer_alone_in_prompt_completion_form(tmp_path, tokenizer):
    out = tmp_path / "prompt_completion.jsonl"
    export_prompt_completion([shopping()], out)
    rows = load(out)
    trainer = trl.SFTTrainer(
        model=tiny_model(len(tokenizer)),
        args=trl.SFTConfig(
            output_dir=str(tmp_path / "out"),
            max_length=None,
            report_to=[],
            use_cpu=True,
            bf16=False,
        ),
        train_dataset=rows,
        processing_class=tokenizer,
    )
    batch = next(iter(trainer.get_train_dataloader()))
    answers = {row["completion"][0]["content"] for row in rows}
    for labels in batch["labels"]:
        trained = tokenizer.decode(labels[labels != -100], skip_special_tokens=True).strip()
        assert trained in answers
