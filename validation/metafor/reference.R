# Makes reference.json: what metafor says of the case grid in cases.R. See README.md.
#
#   Rscript reference.R [OUTPUT]     from this folder

suppressPackageStartupMessages({
  library(metafor)
  library(jsonlite)
})
source("cases.R")

# metafor stops its searches at 1e-5 by default; a reference has to be tighter than what is compared
# with it. The limit is relative to the variances, since 1e-13 is below rounding for large ones.
tight <- function(case) {
  list(threshold = 1e-11 * median(case$vi), maxiter = 5000, tau2.max = 1e9, tol = 1e-13)
}

summary_of <- function(fit) {
  list(effect = c(fit$beta), se = fit$se, p = fit$pval, low = fit$ci.lb, high = fit$ci.ub,
       tau2 = fit$tau2, I2 = fit$I2 / 100, H2 = fit$H2)
}

fit_with <- function(case, method, ...) {
  rma(case$yi, case$vi, method = method, control = tight(case), ...)
}

hartung_knapp <- function(case, test) {
  fit <- fit_with(case, "DL", test = test)
  list(se = fit$se, statistic = fit$zval, p = fit$pval, low = fit$ci.lb, high = fit$ci.ub)
}

prediction <- function(fit, type) {
  limits <- predict(fit, pi.type = type)
  c(limits$pi.lb, limits$pi.ub)
}

profile_limits <- function(fit) {
  limits <- confint(fit, control = list(tau2.max = 1e9, tol = 1e-13, maxiter = 100000))$random
  list(tau2 = unname(limits["tau^2", 2:3]), I2 = unname(limits["I^2(%)", 2:3]) / 100,
       H2 = unname(limits["H^2", 2:3]))
}

left_out <- function(fit) {
  out <- leave1out(fit)
  list(effect = out$estimate, se = out$se, p = out$pval, tau2 = out$tau2, Q = out$Q, I2 = out$I2 / 100)
}

influence_of <- function(fit) {
  out <- influence(fit)$inf
  list(rstudent = out$rstudent, dffits = out$dffits, cooks_distance = out$cook.d, cov_ratio = out$cov.r,
       hat = out$hat / sum(out$hat), dfbetas = influence(fit)$dfbs$intrcpt,
       influential = influence(fit)$is.infl, rstandard = rstandard(fit)$z)
}

baujat_of <- function(fit) {
  pdf(NULL)
  on.exit(dev.off())
  out <- baujat(fit)
  out <- out[order(as.integer(rownames(out))), ]
  list(x = out$x, y = out$y)
}

egger_of <- function(case) {
  test <- regtest(case$yi, case$vi, model = "lm", predictor = "sei")
  slope <- coef(summary(test$fit))["Xsei", ]
  list(bias = slope[["Estimate"]], se = slope[["Std. Error"]], t = test$zval, p = test$pval, limit = test$est)
}

begg_of <- function(case) {
  test <- suppressWarnings(ranktest(case$yi, case$vi))
  list(tau = unname(test$tau), p = test$pval)
}

subsets_of <- function(fit) {
  out <- gosh(fit, progbar = FALSE)
  out$res <- out$res[out$res$k >= 2, ]  # metafor also lists single studies
  at <- c(0.05, 0.25, 0.5, 0.75, 0.95)
  list(n = nrow(out$res), effect = unname(quantile(out$res$estimate, at)),
       I2 = unname(quantile(out$res$I2, at)) / 100, Q = unname(quantile(out$res$QE, at)))
}

tables_of <- function(case) {
  t <- case$tables
  common <- t[c("ai", "n1i", "ci", "n2i")]
  mh <- lapply(c(OR = "OR", RR = "RR", RD = "RD"), function(measure) {
    fit <- do.call(rma.mh, c(common, measure = measure, correct = FALSE))
    list(effect = c(fit$beta), se = fit$se, low = fit$ci.lb, high = fit$ci.ub)
  })
  peto <- do.call(rma.peto, common)
  effects <- lapply(c(OR = "OR", RR = "RR", RD = "RD"), function(measure) {
    out <- do.call(escalc, c(common, measure = measure, add = 1/2, to = "only0", drop00 = FALSE))
    list(yi = c(out$yi), vi = c(out$vi))
  })
  list(effects = effects, mantel_haenszel = mh,
       peto = list(effect = c(peto$beta), se = peto$se, low = peto$ci.lb, high = peto$ci.ub,
                   Q = peto$QE, Q_p = peto$QEp))
}

means_of <- function(case) {
  common <- case$means
  lapply(c(MD = "MD", SMD = "SMD"), function(measure) {
    out <- do.call(escalc, c(common, measure = measure))
    list(yi = c(out$yi), vi = c(out$vi))
  })
}

expected <- function(case) {
  k <- length(case$yi)
  dl <- fit_with(case, "DL")
  out <- list(k = k, FE = summary_of(fit_with(case, "FE")), DL = summary_of(dl), Q = dl$QE, Q_p = dl$QEp)
  if (k < 2) return(out)
  out <- c(out, list(
    PM = summary_of(fit_with(case, "PM")), REML = summary_of(fit_with(case, "REML")),
    hartung_knapp = hartung_knapp(case, "knha"), hartung_knapp_floored = hartung_knapp(case, "adhoc"),
    q_profile = profile_limits(dl)))
  if (k < 3) return(out)
  out <- c(out, list(prediction = prediction(dl, "riley"), leave_one_out = left_out(dl),
                     influence = influence_of(dl), baujat = baujat_of(dl)))
  if (length(unique(case$vi)) > 1 && length(unique(case$yi)) > 1) out <- c(out, list(egger = egger_of(case), begg = begg_of(case)))
  if (k >= 4 && k <= 13) out$gosh <- subsets_of(dl)
  out
}

build <- function(case) {
  if (!is.null(case$tables)) case$counts <- tables_of(case)
  if (!is.null(case$means)) case$differences <- means_of(case)
  case$expected <- expected(case)
  case
}

versions <- lapply(c(metafor = "metafor", metadat = "metadat", jsonlite = "jsonlite"),
                   function(name) as.character(packageVersion(name)))
result <- list(
  source = c(list(made_by = "reference.R", R = as.character(getRversion())), versions),
  cases = lapply(CASES, build))
output <- c(commandArgs(trailingOnly = TRUE), "reference.json")[1]
write(toJSON(result, auto_unbox = TRUE, digits = I(15), null = "null", na = "null", pretty = FALSE), output)
